// The panel of a network that was compiled ahead: Stockfish's small one, for each level of
// WebAssembly, with the speed of this browser.

import { Board } from './board.js';
import { element, signed } from './dom.js';
import { Engine } from './engine.js';

const NET = 'nn-37f18f62d772.nnue';

/** Whether a function of this code, from `i32` to `i32`, computes what it must here. */
function computes(code, input, output) {
  const body = [0, ...code, 11];
  const module = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0,
    7, 5, 1, 1, 102, 0, 0, 10, body.length + 2, 1, body.length, ...body);
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(module)).exports.f(input) === output;
  } catch {
    return false;
  }
}

// A module for each level, from the best one. A browser that knows the instructions of a level may
// still compute other values: in Chrome before version 124, `relaxed_dot` may forget the sum that it
// adds to. So each level's instructions are tried: a sum plus four products of 1 and 1, and a lane
// of a vector.
const SPLAT = [253, 15], FIRST_LANE = [253, 27, 0];
const ONES = [65, 1, ...SPLAT], SUMS = [32, 0, 253, 17];
const LEVELS = [
  { name: 'relaxed', supported: computes([...ONES, ...ONES, ...SUMS, 253, 147, 2, ...FIRST_LANE], 1000, 1004) },
  { name: 'simd128', supported: computes([...SUMS, ...FIRST_LANE], 1000, 1000) },
  { name: 'scalar', supported: true },
];

async function netFile() {
  const response = await fetch(NET).catch(() => undefined);
  if (response?.ok) return response.arrayBuffer();
  throw new Error(`there is no ${NET} beside this page: \`examples/web/build\` puts it there`);
}

export class Compiled {
  constructor(host) {
    this.board = new Board(() => this.evaluate());
    this.value = element('output', { className: 'value', role: 'status' });
    this.speed = element('output', {});
    this.error = element('p', { role: 'alert', className: 'failure' });
    this.levels = element('fieldset', { className: 'levels' }, element('legend', {}, 'Instructions'));
    const measure = element('button', { type: 'button' }, 'Measure');
    measure.addEventListener('click', () => this.measure());
    this.speedLine = element('p', { className: 'speed' }, 'Speed ', this.speed, ' evaluations a second ', measure);
    host.append(
      element('h2', {}, 'A network compiled ahead'),
      element('p', {}, 'Stockfish’s small network, as the macro compiles it, runs in this browser: the values are those of any machine. Under each piece stands what white’s evaluation loses without it. 600 are what the trainer calls 1.0.'),
      this.levels, this.error,
      element('div', { className: 'sides' }, this.board.root, element('div', { className: 'result' }, this.value, this.speedLine)));
    this.host = host;
  }

  async start() {
    try {
      this.net = await netFile();
    } catch (error) {
      return this.complain(error);
    }
    for (const { name, supported } of LEVELS) {
      const radio = element('input', { type: 'radio', name: 'level', value: name, disabled: !supported });
      radio.addEventListener('change', () => this.choose(name).catch((error) => this.complain(error)));
      this.levels.append(element('label', {}, radio, ` ${name} `));
    }
    await this.chooseBest().catch((error) => this.complain(error));
    this.host.dataset.ready = 'yes';
  }

  /** The best level that the browser has, or the next one if its module cannot be loaded. */
  async chooseBest() {
    const supported = LEVELS.filter((level) => level.supported);
    for (const [index, { name }] of supported.entries()) {
      try {
        this.levels.querySelector(`[value=${name}]`).checked = true;
        return await this.choose(name);
      } catch (error) {
        if (index === supported.length - 1) throw error;
      }
    }
  }

  async choose(name) {
    delete this.host.dataset.level;
    this.error.textContent = '';
    this.engine?.stop();
    const engine = new Engine(`nnue-${name}.wasm`);
    this.engine = engine;
    const { level } = await engine.call('load', this.net);
    await this.evaluate();
    await this.measure();
    if (engine === this.engine) this.host.dataset.level = level;
  }

  async evaluate() {
    const { engine } = this;
    const fen = this.board.input.value;
    if (!engine) return;
    try {
      const { value, white, white_to_move: whiteMoves, pieces } = await engine.call('evaluate', fen);
      if (engine !== this.engine || fen !== this.board.input.value) return;
      this.value.replaceChildren(element('b', {}, signed(value)), whiteMoves ? ' for white, who is to move' : ` for black, who is to move; ${signed(white)} for white`);
      this.board.showWorth(pieces.map(({ square, contribution }) => ({ square, worth: contribution })));
      this.error.textContent = '';
    } catch (error) {
      if (engine === this.engine && fen === this.board.input.value) this.complain(error);
    }
  }

  /** Evaluates for about half a second. */
  async measure() {
    const { engine } = this;
    const fen = this.board.input.value;
    let [evaluations, seconds] = [1000, 0];
    try {
      for (;;) {
        const started = performance.now();
        const done = (await engine.call('measure', fen, evaluations)).evaluations;
        seconds = (performance.now() - started) / 1000;
        if (seconds > 0.5 || evaluations > 1e8) {
          this.speed.textContent = Math.round(done / seconds).toLocaleString('en');
          return;
        }
        evaluations = Math.ceil(evaluations * Math.min(10, 0.6 / Math.max(seconds, 1e-3)));
      }
    } catch (error) {
      if (engine !== this.engine) return;
      this.speed.textContent = '';
      this.complain(error);
    }
  }

  complain(error) {
    this.error.textContent = error.message;
    this.value.replaceChildren();
    this.board.showWorth([]);
  }
}
