// Runs modules of WebAssembly away from the page, so that typing never waits for them. The page
// sends `{ id, module, name, input, rest }`, and is answered with `{ id, ok }` or `{ id, error }`.

/** Modules by their addresses. A module and its memory stay until the worker ends. */
const modules = new Map();

function load(address) {
  if (!modules.has(address)) {
    const loading = fetch(address).catch(() => undefined).then(async (response) => {
      if (!response?.ok) throw new Error(`there is no ${address.split('/').at(-1)} beside this page: \`examples/web/build\` puts it there`);
      return (await WebAssembly.instantiate(await response.arrayBuffer(), {})).instance.exports;
    });
    // A later call tries again.
    loading.catch(() => modules.delete(address));
    modules.set(address, loading);
  }
  return modules.get(address);
}

/** Calls a function of a module with bytes, and returns its answer. */
function call(exports, name, bytes, rest) {
  if (!exports[name]) throw new Error(`the module has no function \`${name}\``);
  const { memory, input } = exports;
  // The memory may have grown, and with that moved, in every call. Places are numbers of 32 bits
  // without a sign.
  const place = input(bytes.length) >>> 0;
  if (place === 0) throw new Error(`a module of WebAssembly has no room for ${bytes.length} bytes`);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const length = exports[name](...rest) >>> 0;
  return JSON.parse(answer(exports, length));
}

function answer({ memory, output }, length) {
  return new TextDecoder().decode(new Uint8Array(memory.buffer, output() >>> 0, length));
}

/** What a module that has stopped says of that, or else the browser. */
function reason(exports, error) {
  try {
    return answer(exports, exports.panic_message() >>> 0) || 'there was no more memory';
  } catch {
    return error.message;
  }
}

async function bytesOf(input) {
  if (typeof input === 'string') return new TextEncoder().encode(input);
  return new Uint8Array(input instanceof Blob ? await input.arrayBuffer() : input);
}

// Calls are carried out in the order in which they come, also where one waits for a file.
let last = Promise.resolve();

self.onmessage = ({ data: { id, module, name, input, rest } }) => {
  last = last.then(async () => {
    let exports;
    try {
      exports = await load(module);
      self.postMessage({ id, ...call(exports, name, await bytesOf(input), rest) });
    } catch (error) {
      // A module that has stopped in the middle of its work does not go on.
      const stopped = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
      self.postMessage({ id, error: stopped ? reason(exports, error) : error.message, stopped });
    }
  });
};
