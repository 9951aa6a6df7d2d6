// Specs in addresses: `#spec=` and the text, compressed with deflate and written in base64url, or
// `#net=` and the name of a spec of the gallery.

/** Longer texts than any spec come from links that were made to fill the memory. */
const LONGEST = 1 << 20;

async function through(bytes, stream, longest = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > longest) throw new Error(`its text is longer than ${longest} bytes`);
    parts.push(value);
  }
}

/** The part of an address that holds a spec. */
export async function linkTo(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `#spec=${letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/**
 * The spec in the part of an address after `#`.
 * @param {string} hash
 * @param {(name: string) => string | undefined} named the text of a spec of the gallery
 * @returns {Promise<string | undefined>} nothing if there is none
 * @throws {Error} for a damaged link
 */
export async function linked(hash, named) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const written = parts.get('spec');
  const name = parts.get('net');
  if (written === null) {
    const text = name === null ? undefined : named(name);
    if (name !== null && text === undefined) throw new Error(`this page's address asks for \`${name}\`, which is no spec of the gallery`);
    return text;
  }
  try {
    if (!/^[\w-]*$/.test(written)) throw new Error('it has other letters than base64url');
    const letters = atob(written.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const text = await through(bytes, new DecompressionStream('deflate-raw'), LONGEST);
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch (error) {
    const cause = /longer than|base64url/.test(error.message) ? error.message : 'parts of it are missing or were changed';
    throw new Error(`the spec in this page's address cannot be read: ${cause}`);
  }
}
