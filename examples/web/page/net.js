// The panel of a net file: what it is, whether the spec fits, specs that would, and a board that it
// evaluates.

import { Board } from './board.js';
import { bytesInWords, element, facts, picture, signed } from './dom.js';

export class NetPanel {
  /**
   * @param {import('./playground.js').Playground} playground
   * @param {{ choose: () => void, take: (text: string) => void, named: (name: string) => string | undefined }} page
   *   opens the dialogue of files, puts a text into the editor, finds a spec of the gallery
   */
  constructor(playground, page) {
    Object.assign(this, { playground, page, id: 'net', title: 'Net file' });
  }

  open(host) {
    const choose = element('button', { type: 'button', className: 'main' }, 'Open net file');
    choose.addEventListener('click', this.page.choose);
    this.empty = element('div', { className: 'empty' },
      element('h2', {}, 'Drop a net file here'),
      element('p', {}, 'It is identified and checked against the spec, and evaluates a board. It stays in this browser.'),
      choose);
    this.about = element('div', { className: 'about' });
    this.verdict = element('div', { role: 'status', className: 'verdict' });
    this.guesses = element('div', { className: 'guesses' });
    this.board = new Board(() => this.evaluate());
    this.value = element('output', { className: 'value', role: 'status' });
    this.parts = element('div', {});
    this.neurons = element('div', { className: 'drawing neurons', tabIndex: 0 });
    this.boardPlace = element('div', { className: 'evaluation', hidden: true },
      element('h3', {}, 'Board'),
      element('div', { className: 'sides' }, this.board.root, element('div', { className: 'result' }, this.value, this.parts)),
      this.neurons);
    host.append(this.empty, this.about, this.verdict, this.guesses, this.boardPlace);
  }

  /** Shows a file that was dropped or chosen. @param {File} file */
  async show(file) {
    this.empty.hidden = true;
    this.guesses.replaceChildren();
    this.boardPlace.hidden = true;
    this.verdict.replaceChildren();
    this.about.replaceChildren(element('p', { role: 'status' }, `Reading ${file.name} …`));
    this.name = file.name;
    try {
      const found = await this.playground.drop(file);
      const rows = [{ label: 'size', value: bytesInWords(found.bytes) }];
      if (found.hash) rows.push({ label: 'hash', value: found.hash });
      rows.push({ label: 'known specs', value: found.fits.join(', ') || 'none' });
      this.about.replaceChildren(element('h2', {}, file.name), element('p', {}, found.identity), facts(rows));
      this.known = found.fits;
      this.judge(found);
    } catch (error) {
      this.about.replaceChildren(element('h2', {}, file.name), element('p', { className: 'failure' }, error.message));
    }
  }

  /** Whether the network of the spec, which has changed, reads the file. */
  async update() {
    if (!this.playground.file || !this.playground.good) return;
    this.judge(await this.playground.ask('fits'));
  }

  judge({ loaded, problem }) {
    this.loaded = loaded;
    this.boardPlace.hidden = !loaded;
    if (loaded) {
      this.verdict.replaceChildren(element('p', { className: 'right' }, 'The spec reads this file.'));
      this.evaluate();
    } else {
      const known = (this.known ?? []).map((name) => [name, this.page.named(name)]).filter(([, text]) => text);
      const buttons = known.map(([name, text]) => this.button(`Take ${name}`, () => this.page.take(text)));
      const adopt = this.button('Find specs that fit', () => this.adopt());
      this.verdict.replaceChildren(
        element('p', { className: 'wrong' }, 'The spec does not read this file', problem ? ':' : '.'),
        ...(problem ? [element('pre', { tabIndex: 0 }, problem)] : []),
        element('p', { className: 'buttons' }, ...buttons, adopt));
    }
  }

  button(label, act) {
    const button = element('button', { type: 'button' }, label);
    button.addEventListener('click', act);
    return button;
  }

  /** Lists the specs that the file could be of. */
  async adopt() {
    const { file } = this.playground;
    const cancel = this.button('Cancel', () => this.playground.cancel());
    this.guesses.replaceChildren(element('p', { role: 'status', className: 'busy' }, 'Looking for specs … '), cancel);
    try {
      const { guesses, questions, likely, problem } = await this.playground.adopt(file);
      if (file !== this.playground.file) return;
      if (problem) {
        this.guesses.replaceChildren(element('h3', {}, 'No spec fits'), element('pre', { tabIndex: 0 }, problem));
        return;
      }
      const shown = guesses.map((guess) => element('li', {},
        element('div', { className: 'guess' },
          element('strong', {}, guess.name), element('span', { className: 'score' }, `score ${guess.score.toLocaleString('en', { maximumFractionDigits: 2 })}`),
          guess.undecided ? element('span', { className: 'score' }, 'has open questions') : undefined,
          this.button('Take into the editor', () => this.page.take(guess.text))),
        element('ul', {}, ...guess.evidence.map((sentence) => element('li', {}, sentence)))));
      this.guesses.replaceChildren(
        element('h3', {}, likely ? 'Specs that fit, the likeliest first' : 'Specs that fit in form, though none is likely'),
        element('ol', {}, ...shown),
        ...(questions.length ? [element('h3', {}, 'What the file does not say'),
          element('ul', {}, ...questions.map((question) => element('li', {}, question)))] : []));
    } catch (error) {
      this.guesses.replaceChildren(element('p', { className: 'failure' }, error.message));
    }
  }

  /** Evaluates the board: the last position asked for, if several are asked for at once. */
  async evaluate() {
    if (!this.loaded) return;
    this.wanted = this.board.input.value;
    if (this.evaluating) return;
    this.evaluating = true;
    let fen;
    do {
      fen = this.wanted;
      try {
        const found = await this.playground.ask('evaluate', fen);
        if (fen === this.wanted) this.showEvaluation(found);
      } catch (error) {
        if (fen === this.wanted) this.refuse(error);
      }
    } while (fen !== this.wanted);
    this.evaluating = false;
  }

  showEvaluation({ value, parts, bucket, heads, side, pieces, neurons }) {
    this.value.replaceChildren(value === null ? 'Chances' : element('b', {}, signed(value)), ` for ${side}, who is to move`);
    const rows = [...parts];
    if (bucket !== null && bucket !== undefined) rows.push({ label: 'bucket', value: bucket });
    this.parts.replaceChildren(facts(rows), ...(heads?.length ? [element('h3', {}, 'Heads'), facts(heads)] : []));
    this.board.showWorth(pieces);
    this.neurons.replaceChildren(...(neurons ? [element('h3', {}, 'Neurons'), picture(neurons)] : []));
  }

  refuse(error) {
    this.value.replaceChildren(element('span', { className: 'failure' }, error.message));
    this.parts.replaceChildren();
    this.neurons.replaceChildren();
    this.board.showWorth([]);
  }
}
