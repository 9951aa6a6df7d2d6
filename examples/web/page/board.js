// A board on which a position is set up and moves are made, with the pointer or the keyboard. It
// shows what it is told of each piece's worth, and knows nothing of networks.

import { START, fenOf, moved, nameOf, positionOf, put, rearranged, turned } from './position.js';
import { element, signed } from './dom.js';

const GLYPHS = { k: '♚', q: '♛', r: '♜', b: '♝', n: '♞', p: '♟' };
const NAMES = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
const LETTERS = 'KQRBNPkqrbnp';
/** After a glyph: a letter, and no coloured picture of a pawn. */
const AS_TEXT = '\uFE0E';

/** Boards of the page so far, whose hints have names of their own. */
let boards = 0;

const isWhite = (letter) => letter === letter.toUpperCase();
const inWords = (letter) => `${isWhite(letter) ? 'white' : 'black'} ${NAMES[letter.toLowerCase()]}`;

function piece(letter) {
  const glyph = GLYPHS[letter.toLowerCase()] + AS_TEXT;
  return element('span', { className: `piece ${isWhite(letter) ? 'white' : 'black'}`, ariaHidden: 'true' }, glyph);
}

export class Board {
  /**
   * @param {(fen: string) => void} changed called when another position is shown
   */
  constructor(changed) {
    this.changed = changed;
    /** Positions, and which of them is shown. */
    this.line = [positionOf(START)];
    this.index = 0;
    /** Where a piece was taken: a square, or a letter of the tray. */
    this.held = undefined;
    this.focused = 12;
    this.root = element('div', { className: 'play' }, this.drawBoard(), this.drawTray(), this.drawControls());
    this.draw();
  }

  get position() {
    return this.line[this.index];
  }

  get fen() {
    return fenOf(this.position);
  }

  /** Shows the position of a FEN, as one more of the line. */
  set fen(fen) {
    this.to(positionOf(fen), fen);
  }

  to(position, written) {
    this.line = [...this.line.slice(0, this.index + 1), position];
    this.index++;
    this.draw();
    if (written !== undefined) this.input.value = written;
    this.changed(written ?? this.fen);
  }

  go(index) {
    if (!this.line[index]) return;
    this.index = index;
    this.draw();
    this.changed(this.fen);
  }

  drawBoard() {
    this.squares = [];
    const rows = [7, 6, 5, 4, 3, 2, 1, 0].map((rank) => element('div', { role: 'row', className: 'rank' },
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((file) => {
        const square = element('div', {
          role: 'gridcell', className: `square ${(rank + file) % 2 ? '' : 'dark'}`, tabIndex: -1,
        });
        square.dataset.square = 8 * rank + file;
        if (file === 0) square.dataset.rank = rank + 1;
        if (rank === 0) square.dataset.file = 'abcdefgh'[file];
        this.squares[8 * rank + file] = square;
        return square;
      })));
    this.grid = element('div', { role: 'grid', className: 'board', ariaLabel: 'board' }, ...rows);
    this.grid.addEventListener('keydown', (event) => this.key(event));
    this.grid.addEventListener('focusin', ({ target }) => this.focus(Number(target.dataset.square), false));
    this.grid.addEventListener('pointerdown', (event) => {
      const square = squareAt(event);
      if (square === undefined) return;
      event.preventDefault();
      this.focus(square);
      if (this.held === square) return this.hold(undefined);
      // The second of two taps.
      if (this.held !== undefined && this.release(square)) return;
      if (this.position.squares[square]) this.drag(event, square);
    });
    return this.grid;
  }

  drawTray() {
    this.tray = element('div', { className: 'tray', role: 'group', ariaLabel: 'pieces to put on the board' },
      ...[...LETTERS].map((letter) => {
        const button = element('button', { type: 'button', ariaLabel: inWords(letter), ariaPressed: 'false' }, piece(letter));
        button.dataset.letter = letter;
        button.addEventListener('pointerdown', (event) => this.drag(event, letter));
        button.addEventListener('click', () => this.hold(this.held === letter ? undefined : letter));
        return button;
      }));
    this.tray.hidden = true;
    return this.tray;
  }

  drawControls() {
    const button = (label, text, act) => {
      const made = element('button', { type: 'button', ariaLabel: label, title: label }, text);
      made.addEventListener('click', act);
      return made;
    };
    this.back = button('one move back', '←', () => this.go(this.index - 1));
    this.forward = button('one move forward', '→', () => this.go(this.index + 1));
    this.turn = button('', '', () => this.to(turned(this.position)));
    this.setting = button('set up: pieces go anywhere, and nobody has moved', 'Set up', () => {
      this.tray.hidden = !this.tray.hidden;
      this.setting.ariaPressed = String(!this.tray.hidden);
      this.hold(undefined);
    });
    this.setting.ariaPressed = 'false';
    this.input = element('input', { type: 'text', className: 'fen', spellcheck: false, autocomplete: 'off', ariaLabel: 'FEN of the position' });
    this.input.addEventListener('input', () => { this.fen = this.input.value; });
    const hint = element('p', { className: 'hint', id: `board-hint-${boards++}` },
      'Drag pieces, or use the arrows and Enter. Rules are not checked. While you set up, letters as in a FEN put pieces down, and Delete takes them off.');
    this.grid.setAttribute('aria-describedby', hint.id);
    return element('div', { className: 'controls' },
      element('div', { className: 'buttons' }, this.back, this.forward, this.turn, this.setting,
        button('start of a game', 'Start', () => this.to(positionOf(START))),
        button('flip the board', 'Flip', () => this.grid.classList.toggle('flipped'))),
      this.input, hint);
  }

  draw() {
    this.position.squares.forEach((letter, square) => {
      this.squares[square].replaceChildren(...(letter ? [piece(letter)] : []));
      this.squares[square].ariaLabel = `${nameOf(square)}, ${letter ? inWords(letter) : 'empty'}`;
    });
    this.squares.forEach((square, index) => { square.tabIndex = index === this.focused ? 0 : -1; });
    this.back.disabled = this.index === 0;
    this.forward.disabled = this.index === this.line.length - 1;
    const white = this.position.side === 'w';
    const turn = `${white ? 'White' : 'Black'} to move`;
    this.turn.replaceChildren(element('span', { className: `dot ${white ? 'white' : 'black'}` }), turn);
    this.turn.ariaLabel = this.turn.title = `${turn}: change that`;
    this.input.value = this.fen;
  }

  /**
   * Shows what pieces are worth where they stand, if the position is still the same.
   * @param {{ square: number, worth: number | null }[]} pieces
   */
  showWorth(pieces) {
    this.squares.forEach((square) => square.querySelector('.worth')?.remove());
    for (const { square, worth } of pieces) {
      const letter = this.position.squares[square];
      if (!letter || worth === null || worth === undefined) continue;
      this.squares[square].append(element('span', {
        className: `worth ${worth < 0 ? 'negative' : 'positive'}`, ariaHidden: 'true',
      }, signed(worth)));
      this.squares[square].ariaLabel = `${nameOf(square)}, ${inWords(letter)}, worth ${signed(worth)}`;
    }
  }

  focus(square, move = true) {
    if (Number.isNaN(square)) return;
    this.squares[this.focused].tabIndex = -1;
    this.focused = square;
    this.squares[square].tabIndex = 0;
    if (move) this.squares[square].focus();
  }

  key(event) {
    const flipped = this.grid.classList.contains('flipped') ? -1 : 1;
    const steps = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const [file, rank] = [this.focused & 7, this.focused >> 3];
    if (steps[event.key]) {
      const [x, y] = steps[event.key].map((step, axis) => step * flipped + [file, rank][axis]);
      if (x >= 0 && x < 8 && y >= 0 && y < 8) this.focus(8 * y + x);
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (this.held === this.focused) this.hold(undefined);
      else if (this.held !== undefined && this.release(this.focused)) this.focus(this.focused);
      else if (this.position.squares[this.focused]) this.hold(this.focused);
    } else if (event.key === 'Escape') {
      this.hold(undefined);
    } else if (!this.tray.hidden && (event.key === 'Delete' || event.key === 'Backspace')) {
      this.to(put(this.position, this.focused, ''));
    } else if (!this.tray.hidden && LETTERS.includes(event.key) && !event.ctrlKey && !event.metaKey) {
      this.to(put(this.position, this.focused, event.key));
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Takes a piece up: a square's, one of the tray, or none. */
  hold(held) {
    this.held = held;
    this.squares.forEach((square, index) => square.classList.toggle('from', index === held));
    for (const button of this.tray.children) button.ariaPressed = String(button.dataset.letter === held);
  }

  /** Puts what is held on a square, or outside. Returns whether it could go there. */
  release(square) {
    const { held, position } = this;
    if (typeof held === 'string') {
      // It stays in the hand: pawns are put down by the handful.
      if (square !== undefined) this.to(put(position, square, held));
      return square !== undefined;
    }
    this.hold(undefined);
    if (held === undefined || held === square) return false;
    const next = !this.tray.hidden ? rearranged(position, held, square)
      : square !== undefined && moved(position, held, square);
    if (next) this.to(next);
    return Boolean(next);
  }

  /** Follows the pointer with a piece until it is put down. A tap leaves it in the hand. */
  drag(event, held) {
    const letter = typeof held === 'string' ? held : this.position.squares[held];
    const size = this.squares[0].getBoundingClientRect().width;
    const [x, y] = [event.clientX, event.clientY];
    let ghost;
    const ended = new AbortController();
    const end = () => {
      ended.abort();
      ghost?.remove();
    };
    const follow = ({ clientX, clientY }) => {
      if (!ghost) {
        if (Math.hypot(clientX - x, clientY - y) < 5) return;
        this.hold(held);
        ghost = element('div', { className: 'ghost' }, piece(letter));
        ghost.style.width = ghost.style.height = `${size}px`;
        document.body.append(ghost);
      }
      ghost.style.transform = `translate(${clientX - size / 2}px, ${clientY - size / 2}px)`;
    };
    const drop = (up) => {
      end();
      if (ghost) {
        this.release(squareAt(up));
        this.hold(undefined);
      } else if (typeof held === 'number') {
        this.hold(held);
      }
    };
    addEventListener('pointermove', follow, { signal: ended.signal });
    addEventListener('pointerup', drop, { signal: ended.signal });
    addEventListener('pointercancel', end, { signal: ended.signal });
  }
}

function squareAt({ clientX, clientY }) {
  const square = document.elementFromPoint(clientX, clientY)?.closest('.square');
  return square ? Number(square.dataset.square) : undefined;
}
