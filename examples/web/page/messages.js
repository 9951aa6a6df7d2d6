// Messages under the lines of the editor: what is wrong, help, and related places.

import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import { element } from './dom.js';

/**
 * What `check` says; places are counted in UTF-16.
 * @typedef {{ severity: 'error' | 'warning' | 'note', message: string, from: number, to: number,
 *   help: string | null, related: { message: string, from: number, to: number }[], shown: string }}
 *   Diagnostic
 */

/** While somebody types, nearly every text is wrong: lines would jump at each key. */
const PAUSE = 350;

const replace = StateEffect.define();

export function messagesUnderLines() {
  return StateField.define({
    create: () => Decoration.none,
    update(messages, transaction) {
      messages = messages.map(transaction.changes);
      for (const effect of transaction.effects) if (effect.is(replace)) messages = effect.value;
      return messages;
    },
    provide: (field) => EditorView.decorations.from(field),
  });
}

const timers = new WeakMap();

/** @param {Diagnostic[]} diagnostics */
export function showMessages(view, diagnostics) {
  clearTimeout(timers.get(view));
  const set = () => view.dispatch({ effects: replace.of(decorations(view.state.doc, diagnostics)) });
  // What is mended goes at once.
  if (diagnostics.length === 0) set();
  else timers.set(view, setTimeout(set, PAUSE));
}

function decorations(document, diagnostics) {
  const widgets = diagnostics.map((diagnostic) => {
    const line = document.lineAt(Math.min(diagnostic.from, document.length));
    const column = Math.min(diagnostic.from, document.length) - line.from;
    const length = Math.max(1, Math.min(diagnostic.to, line.to) - diagnostic.from);
    const here = ({ from, to }) => from === diagnostic.from && to === diagnostic.to;
    const labels = diagnostic.related.filter(here).map((place) => place.message).join(', ');
    const related = diagnostic.related.filter((place) => !here(place)).map((place) => ({
      ...place, line: document.lineAt(Math.min(place.from, document.length)).number,
    }));
    const widget = new Message({ ...diagnostic, related, labels, column, length });
    return Decoration.widget({ widget, block: true, side: 1 }).range(line.to);
  });
  return Decoration.set(widgets, true);
}

class Message extends WidgetType {
  constructor(diagnostic) {
    super();
    this.diagnostic = diagnostic;
    this.key = JSON.stringify(diagnostic);
  }

  eq(other) {
    return other.key === this.key;
  }

  toDOM(view) {
    const { severity, message, help, related, labels, column, length } = this.diagnostic;
    const box = element('div', { className: `message ${severity}`, role: 'note' });
    const carets = `${' '.repeat(column)}${'^'.repeat(length)}`;
    box.append(element('span', { className: 'pointer', ariaHidden: 'true' }, carets), row(severity, message));
    if (labels) box.append(row('', labels));
    if (help) box.append(row('help', help));
    for (const place of related) {
      const button = element('button', { type: 'button' }, `line ${place.line}`);
      button.addEventListener('click', () => {
        view.dispatch({ selection: { anchor: place.from, head: place.to }, scrollIntoView: true });
        view.focus();
      });
      box.append(row('see', button, `: ${place.message}`));
    }
    return box;
  }

  ignoreEvent() {
    return true;
  }
}

function row(label, ...said) {
  return element('span', { className: 'row' }, element('b', {}, label), element('span', {}, ...said));
}
