// A module of WebAssembly in a worker, as functions that return promises.

/** The page's policy also holds in a worker that begins as a blob, and not in one of an address. */
function startWorker() {
  const script = `importScripts(${JSON.stringify(new URL('worker.js', document.baseURI).href)});`;
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(address);
  worker.addEventListener('message', () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

/** An error after which the module was started anew. */
export class Stopped extends Error {}

export class Engine {
  /** @param {string} module its file beside the page */
  constructor(module) {
    this.module = new URL(module, document.baseURI).href;
    this.waiting = new Map();
    this.next = 0;
  }

  /**
   * Calls a function of the module.
   * @param {string} name
   * @param {string | ArrayBuffer | Blob} input
   * @param {...number} rest
   */
  call(name, input = '', ...rest) {
    if (!this.worker) {
      this.worker = startWorker();
      this.worker.onmessage = ({ data }) => this.answered(data);
      this.worker.onerror = () => this.stop(new Error('worker.js cannot be loaded'));
    }
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, module: this.module, name, input, rest });
    });
  }

  answered({ id, ok, error, stopped }) {
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) return resolve(ok);
    reject(stopped ? new Stopped(`the module stopped: ${error}`) : new Error(error));
    if (stopped) this.stop(new Stopped('the module stopped'));
  }

  /** Ends the worker. The next call starts another one, which knows nothing of the calls before. */
  stop(reason = new Error('cancelled')) {
    this.worker?.terminate();
    this.worker = undefined;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    waiting.forEach(({ reject }) => reject(reason));
  }
}
