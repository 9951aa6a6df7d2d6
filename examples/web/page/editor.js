// The editor of a spec.

import { basicSetup } from 'codemirror';
import { StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { lintGutter, linter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { messagesUnderLines, showMessages } from './messages.js';

// CodeMirror adds its styles to the page, where the policy of contents allows this name alone.
const STYLES = document.querySelector('meta[name=styles]').content;

export const look = [
  syntaxHighlighting(classHighlighter),
  EditorView.cspNonce.of(STYLES),
];

export const language = StreamLanguage.define(toml);

export class Editor {
  /**
   * @param {HTMLElement} host
   * @param {(text: string) => void} changed called after each change, with the whole text
   */
  constructor(host, changed) {
    this.help = new Compartment();
    host.replaceChildren();
    this.view = new EditorView({
      parent: host,
      state: EditorState.create({
        extensions: [
          basicSetup, language, look, EditorView.lineWrapping, messagesUnderLines(),
          // Messages stand under their lines: none hovers over the text too.
          linter(null, { tooltipFilter: () => [] }), lintGutter({ tooltipFilter: () => [] }),
          this.help.of([]),
          EditorView.contentAttributes.of({ 'aria-label': 'spec', 'aria-describedby': 'problems', tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(this.text);
          }),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      scrollIntoView: true,
    });
  }

  /** Completions and hovering, once what they are made of is there. */
  assist(extensions) {
    this.view.dispatch({ effects: this.help.reconfigure(extensions) });
  }

  /**
   * Underlines what is wrong at once, and says why under the lines when typing pauses.
   * @param {import('./messages.js').Diagnostic[]} diagnostics of the text that is in the editor
   */
  show(diagnostics) {
    const end = this.view.state.doc.length;
    const marks = diagnostics.map(({ severity, message, from, to }) => ({
      severity: severity === 'note' ? 'info' : severity,
      message,
      from: Math.min(from, end),
      to: Math.min(Math.max(from, to), end),
    }));
    this.view.dispatch(setDiagnostics(this.view.state, marks));
    // That there are more errors has no place.
    showMessages(this.view, diagnostics.filter(({ severity }) => severity !== 'note'));
  }

  /** Puts the cursor on a place, in sight. */
  goTo(from, to = from) {
    this.view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.view.focus();
  }
}
