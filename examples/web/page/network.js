// The panels of the spec's network: drawing, tensors, code, plan, and the spec written out.

import { bytesInWords, element, facts, picture } from './dom.js';
import { again } from './panels.js';

const LEVELS = ['scalar', 'avx2', 'avxvnni', 'avx512', 'avx512icl', 'neon', 'neondot', 'neoni8mm', 'simd128', 'relaxed'];

/**
 * @param {import('./playground.js').Playground} playground
 * @param {() => object | undefined} network the last network, as `check` describes it
 * @returns {(import('./panels.js').Panel)[]}
 */
export function networkPanels(playground, network) {
  return [
    drawing(network), tensors(playground), text('code', 'Rust', playground, { levels: true, rust: true }),
    text('plan', 'Plan', playground, { levels: true }), text('whole', 'Whole spec', playground, { toml: true }),
  ];
}

function drawing(network) {
  let picturePlace, factsPlace;
  return {
    id: 'drawing',
    title: 'Drawing',
    follows: true,
    immediate: true,
    open(host) {
      picturePlace = element('div', { className: 'drawing', tabIndex: 0 });
      factsPlace = element('div', { className: 'about' });
      host.append(factsPlace, picturePlace);
    },
    update() {
      const shown = network();
      if (!shown) return;
      const drawn = picture(shown.drawing);
      drawn.setAttribute('aria-label', `drawing of ${shown.name}`);
      picturePlace.replaceChildren(drawn);
      factsPlace.replaceChildren(
        element('h2', {}, shown.name), facts(shown.facts), element('h3', {}, 'Memory'), facts(shown.memory));
    },
  };
}

function tensors(playground) {
  let place;
  const columns = [['Tensor', 'name'], ['Shape', 'shape'], ['Type', 'type'], ['Bytes', 'bytes'], ['In memory', 'place']];
  return {
    id: 'tensors',
    title: 'Tensors',
    follows: true,
    open(host) { place = host; },
    async update() {
      const { tensors: rows, text: summary } = await playground.ask('tensors');
      const head = element('tr', {}, ...columns.map(([title]) => element('th', { scope: 'col' }, title)));
      const body = rows.map((row) => element('tr', {}, ...columns.map(([, key]) => {
        const value = key === 'bytes' ? row.bytes.toLocaleString('en') : row[key];
        return key === 'name' ? element('th', { scope: 'row' }, value) : element('td', { className: key }, value);
      })));
      const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
      place.replaceChildren(
        element('div', { className: 'wide', tabIndex: 0 }, element('table', {},
          element('caption', {}, `${rows.length} tensors, ${bytesInWords(total)}`),
          element('thead', {}, head), element('tbody', {}, ...body))),
        element('h2', {}, 'As nnue check prints it'), element('pre', { tabIndex: 0 }, summary));
    },
  };
}

function text(name, title, playground, { levels, rust, toml }) {
  let place, viewer, select;
  return {
    id: name,
    title,
    follows: true,
    open(host) {
      place = element('div', { className: 'text' });
      if (levels) {
        select = element('select', {}, ...LEVELS.map((value) => element('option', { value }, value)));
        select.value = 'avx2';
        select.addEventListener('change', () => again(host));
        host.append(element('label', { className: 'bar' }, element('span', {}, 'Instructions'), select));
      }
      host.append(place);
    },
    async update() {
      const found = await playground.ask(name, select?.value ?? '');
      if (!rust && !toml) return place.replaceChildren(element('pre', { tabIndex: 0 }, found.text));
      if (!viewer) {
        const { Viewer } = await import('./viewer.js');
        viewer ??= new Viewer(place, rust ? 'rust' : 'toml', title);
      }
      viewer.text = found.text;
    },
  };
}
