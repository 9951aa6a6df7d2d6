// Calls the module as a page does: node module.mjs MODULE CALLS. CALLS is a JSON file with a list of
// [function, text or null, file or null]. Prints the answers as a JSON list, and last the times of
// [first, median] of fifty checks of the text that was checked first, in milliseconds.
import { readFileSync } from 'node:fs';

const [, , path, calls] = process.argv;
const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
const { memory, ...module } = instance.exports;

function call(name, bytes) {
    if (bytes) {
        const place = module.input(bytes.length);
        if (!place) throw new Error(`no memory for ${bytes.length} bytes`);
        new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
    }
    const length = module[name]();
    return new TextDecoder().decode(new Uint8Array(memory.buffer, module.output(), length));
}

const encoder = new TextEncoder();
const list = JSON.parse(readFileSync(calls, 'utf8'));
const times = [];
const measured = list.find(([name]) => name === 'check');
for (let round = 0; measured && round < 51; round += 1) {
    const start = performance.now();
    call('check', encoder.encode(measured[1]));
    times.push(performance.now() - start);
}
const answers = list.map(([name, text, file]) => {
    const bytes = file ? readFileSync(file) : text === null ? null : encoder.encode(text);
    return JSON.parse(call(name, bytes));
});
const [first, ...rest] = times;
rest.sort((a, b) => a - b);
console.log(JSON.stringify([...answers, [first, rest[25]]]));
