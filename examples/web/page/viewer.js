// A text with highlighting, which is read and not written.

import { foldGutter, foldKeymap } from '@codemirror/language';
import { rust } from '@codemirror/lang-rust';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { language as toml, look } from './editor.js';

export class Viewer {
  /**
   * @param {HTMLElement} host
   * @param {'rust' | 'toml'} language
   */
  constructor(host, language, label) {
    this.view = new EditorView({
      parent: host,
      state: EditorState.create({
        extensions: [
          lineNumbers(), foldGutter(), search(), highlightSelectionMatches(),
          keymap.of([...searchKeymap, ...foldKeymap]),
          language === 'rust' ? rust() : toml, look,
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
        ],
      }),
    });
  }

  /** What stays in sight stays where it is. */
  set text(text) {
    const { scrollDOM, state } = this.view;
    const before = scrollDOM.scrollTop;
    this.view.dispatch({ changes: { from: 0, to: state.doc.length, insert: text } });
    scrollDOM.scrollTop = before;
  }
}
