// The compiler's module: what it was told stays the same when it has to be started anew.

import { Engine, Stopped } from './engine.js';

const MODULE = 'playground.wasm';

export class Playground {
  constructor() {
    this.engine = new Engine(MODULE);
    /** The text that was checked last, and the last one with a network. */
    this.text = undefined;
    this.good = undefined;
    /** @type {File | undefined} */
    this.file = undefined;
    this.restarted = false;
  }

  async ask(name, input = '') {
    if (this.restarted) {
      this.restarted = false;
      if (this.good !== undefined) await this.engine.call('check', this.good);
      if (this.file) await this.engine.call('drop', this.file);
    }
    return this.engine.call(name, input).catch((error) => {
      this.restarted ||= error instanceof Stopped;
      throw error;
    });
  }

  gallery() {
    return this.ask('gallery');
  }

  /**
   * Checks a text, unless a later one comes before the module is free.
   * @returns what `check` says, or undefined where a later text is checked instead
   */
  async check(text) {
    this.text = text;
    this.checking ??= Promise.resolve();
    const before = this.checking;
    let done;
    this.checking = new Promise((resolve) => { done = resolve; });
    try {
      await before;
      if (this.text !== text) return undefined;
      const checked = await this.ask('check', text);
      if (checked.network) this.good = text;
      return checked;
    } finally {
      done();
    }
  }

  /** @param {File} file */
  async drop(file) {
    // A file that stops the module is not sent again.
    this.file = undefined;
    const dropped = await this.ask('drop', file);
    this.file = file;
    return dropped;
  }

  /** Looks for specs of the file that was dropped: seconds, in a worker of its own. */
  async adopt(file) {
    this.cancel();
    const engine = new Engine(MODULE);
    this.adopting = engine;
    try {
      await engine.call('drop', file);
      return await engine.call('adopt');
    } finally {
      engine.stop();
    }
  }

  /** Ends the search for specs, if there is one. */
  cancel() {
    this.adopting?.stop();
    this.adopting = undefined;
  }
}
