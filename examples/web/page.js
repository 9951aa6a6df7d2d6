// Loads the network's WebAssembly module, and shows what it says of a position.
'use strict';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const NET = 'nn-37f18f62d772.nnue';
const GLYPHS = { k: '♚', q: '♛', r: '♜', b: '♝', n: '♞', p: '♟', K: '♔', Q: '♕', R: '♖', B: '♗', N: '♘', P: '♙' };

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

const element = (id) => document.getElementById(id);
const signed = (number) => (number > 0 ? '+' : '') + number;

/** What the server has under a name. */
async function bytesOf(name) {
  const response = await fetch(name).catch(() => undefined);
  if (response?.ok) return response.arrayBuffer();
  throw new Error(`there is no ${name} beside this page: run \`examples/web/build\`, and then `
    + '`python3 -m http.server --directory target/web`');
}

/** A module whose memory has a net: calls it with bytes, and returns its answer. */
class Network {
  static async load(level, net) {
    const { instance } = await WebAssembly.instantiate(await bytesOf(`nnue-${level}.wasm`), {});
    const network = new Network(instance.exports);
    network.loaded = network.call('load', net);
    return network;
  }

  constructor(exports) {
    this.exports = exports;
  }

  call(name, bytes, ...rest) {
    const { memory, input, output } = this.exports;
    // The memory may have grown, and with that moved, in every call. Places are numbers of 32 bits
    // without a sign.
    const place = input(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
    const length = this.exports[name](...rest) >>> 0;
    const answer = output() >>> 0;
    const { ok, error } = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, answer, length)));
    if (error !== undefined) throw new Error(error);
    return ok;
  }

  evaluate(fen) {
    return this.call('evaluate', new TextEncoder().encode(fen));
  }

  measure(fen, evaluations) {
    return this.call('measure', new TextEncoder().encode(fen), evaluations);
  }
}

/** The placement of a FEN as 64 letters, from a1 to h8; empty squares are empty strings. */
function squaresOf(fen) {
  const squares = Array(64).fill('');
  fen.trim().split(/\s+/)[0].split('/').forEach((rank, index) => {
    let square = 8 * (7 - index);
    for (const letter of rank) {
      if (letter >= '1' && letter <= '8') square += Number(letter);
      else squares[square++] = letter;
    }
  });
  return squares;
}

/** The FEN with other squares or another side to move. Rights that may be gone are dropped. */
function changed(fen, squares, side) {
  const ranks = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => squares.slice(8 * rank, 8 * rank + 8)
    .map((letter) => letter || '1').join('').replace(/1+/g, (empty) => empty.length));
  return `${ranks.join('/')} ${side ?? fen.trim().split(/\s+/)[1] ?? 'w'} - - 0 1`;
}

let network;
let dragged;
// The position on the board: the last one that is right.
let shown = START;

function show(fen) {
  element('fen').value = fen;
  element('error').textContent = '';
  if (!network) return;
  try {
    const { value, white, white_to_move, pieces } = network.evaluate(fen);
    element('value').textContent = signed(value);
    element('white').textContent = signed(white);
    element('side').textContent = white_to_move ? 'white' : 'black';
    document.querySelectorAll('.square').forEach((square) => square.replaceChildren());
    for (const { square, letter, contribution } of pieces) {
      const place = document.querySelector(`[data-square="${square}"]`);
      const piece = document.createElement('span');
      piece.className = 'piece';
      piece.textContent = GLYPHS[letter];
      place.append(piece);
      if (contribution === null) continue;
      const part = document.createElement('span');
      part.className = `part ${contribution < 0 ? 'negative' : 'positive'}`;
      part.textContent = signed(contribution);
      place.append(part);
    }
    shown = fen;
  } catch (error) {
    complain(error);
  }
}

/** The position of the address, so that links to positions can be shared. */
function linked() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || START;
  } catch {
    return START;
  }
}

/** Evaluates for about half a second. */
function measure() {
  if (!network) return;
  const fen = shown;
  let [evaluations, seconds] = [1000, 0];
  try {
    for (;;) {
      const started = performance.now();
      const done = network.measure(fen, evaluations).evaluations;
      seconds = (performance.now() - started) / 1000;
      if (seconds > 0.5 || evaluations > 1e8) {
        element('speed').textContent = Math.round(done / seconds).toLocaleString('en');
        return;
      }
      evaluations = Math.ceil(evaluations * Math.min(10, 0.6 / Math.max(seconds, 1e-3)));
    }
  } catch (error) {
    element('speed').textContent = '';
    complain(error);
  }
}

function drawBoard() {
  for (let index = 0; index < 64; index++) {
    const square = document.createElement('div');
    const [rank, file] = [7 - (index >> 3), index & 7];
    square.className = (rank + file) % 2 ? 'square' : 'square dark';
    square.dataset.square = 8 * rank + file;
    element('board').append(square);
  }
  const squareAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest('.square');
  element('board').addEventListener('pointerdown', (event) => {
    dragged = squareAt(event);
    if (!dragged?.children.length) return void (dragged = undefined);
    dragged.classList.add('from');
  });
  addEventListener('pointerup', (event) => {
    if (!dragged) return;
    dragged.classList.remove('from');
    const [from, to] = [dragged, squareAt(event)];
    dragged = undefined;
    if (from === to) return;
    const squares = squaresOf(shown);
    const letter = squares[from.dataset.square];
    squares[from.dataset.square] = '';
    if (to) squares[to.dataset.square] = letter;
    show(changed(shown, squares));
  });
  addEventListener('pointercancel', () => {
    dragged?.classList.remove('from');
    dragged = undefined;
  });
}

let chosen = 0;

async function chooseLevel(level, net) {
  const choice = ++chosen;
  const loaded = await Network.load(level, net);
  // Another level may have been chosen since.
  if (choice !== chosen) return;
  network = loaded;
  document.documentElement.dataset.level = network.loaded.level;
  show(element('fen').value);
  measure();
}

async function start() {
  drawBoard();
  element('fen').value = linked();
  const net = new Uint8Array(await bytesOf(NET));
  for (const { name, supported } of LEVELS) {
    const label = document.createElement('label');
    const radio = Object.assign(document.createElement('input'), {
      type: 'radio', name: 'level', value: name, disabled: !supported,
    });
    radio.addEventListener('change', () => chooseLevel(name, net).catch(complain));
    label.append(radio, ` ${name} `);
    element('levels').append(label);
  }
  element('fen').addEventListener('input', () => show(element('fen').value));
  // Browsers let pages change their address a few times a second only.
  element('fen').addEventListener('change', () => {
    location.replace(`#${encodeURIComponent(shown)}`);
  });
  element('turn').addEventListener('click', () => {
    show(changed(shown, squaresOf(shown), shown.trim().split(/\s+/)[1] === 'w' ? 'b' : 'w'));
  });
  element('again').addEventListener('click', measure);
  await chooseBest(net);
}

/** The best level that the browser has, or the next one if its module cannot be loaded. */
async function chooseBest(net) {
  const supported = LEVELS.filter((level) => level.supported);
  for (const [index, { name }] of supported.entries()) {
    try {
      element('levels').querySelector(`[value=${name}]`).checked = true;
      return await chooseLevel(name, net);
    } catch (error) {
      if (index === supported.length - 1) throw error;
    }
  }
}

function complain(error) {
  element('error').textContent = error.message;
  // A module that has stopped in the middle of its work does not go on: the page is loaded again.
  if (error instanceof WebAssembly.RuntimeError) network = undefined;
}

start().catch(complain).finally(() => document.documentElement.classList.add('ready'));
