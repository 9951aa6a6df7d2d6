// Messages under the lines of the editor: what is wrong, help, and related places.

import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';

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
    const related = diagnostic.related.map((place) => ({
      ...place, line: document.lineAt(Math.min(place.from, document.length)).number,
    }));
    const widget = new Message({ ...diagnostic, related, column, length });
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
    const { severity, message, help, related, column, length } = this.diagnostic;
    const box = document.createElement('div');
    box.className = `message ${severity}`;
    box.setAttribute('role', 'note');
    const pointer = document.createElement('span');
    pointer.className = 'pointer';
    pointer.setAttribute('aria-hidden', 'true');
    pointer.textContent = `${' '.repeat(column)}${'^'.repeat(length)}`;
    box.append(pointer, row(severity, message));
    if (help) box.append(row('help', help));
    for (const place of related) {
      const button = Object.assign(document.createElement('button'), {
        type: 'button', textContent: `line ${place.line}`,
      });
      button.addEventListener('click', () => {
        view.dispatch({ selection: { anchor: place.from, head: place.to }, scrollIntoView: true });
        view.focus();
      });
      const line = row('see', `: ${place.message}`);
      line.lastChild.prepend(button);
      box.append(line);
    }
    return box;
  }

  ignoreEvent() {
    return true;
  }
}

function row(label, text) {
  const line = document.createElement('span');
  line.className = 'row';
  const name = Object.assign(document.createElement('b'), { textContent: label });
  const said = Object.assign(document.createElement('span'), { textContent: text });
  line.append(name, said);
  return line;
}
