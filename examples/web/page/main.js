// The page: what is written is checked as it is typed, and the open panel follows.

import { suggestions } from './completion.js';
import { byId, element } from './dom.js';
import { Editor } from './editor.js';
import { linkTo, linked } from './links.js';
import { NetPanel } from './net.js';
import { networkPanels } from './network.js';
import { Panels } from './panels.js';
import { Playground } from './playground.js';
import { Schema } from './schema.js';

const FIRST = 'sfnnv16';

const playground = new Playground();
let gallery = [];
let network;
/** Whether the last text could not be checked. */
let stopped = false;
/** What is said of the problems, and when more will be: not while somebody still types. */
let told;
let telling;

const editor = new Editor(byId('editor'), (text) => {
  markChosen(text);
  check(text);
});
const net = new NetPanel(playground, {
  choose: () => byId('file').click(),
  take: (text) => {
    editor.text = text;
  },
  named: (name) => named(name)?.text,
});
const panels = new Panels(byId('tabs'), byId('panels'), [
  ...networkPanels(playground, () => network),
  { id: net.id, title: net.title, follows: false, open: (host) => net.open(host), update: () => net.update() },
  {
    id: 'compiled',
    title: 'Speed here',
    // Its modules and its net are megabytes, which few visitors need.
    open: async (host) => new (await import('./compiled.js')).Compiled(host).start(),
  },
]);

/** A spec of the gallery by the stem of its file. */
function named(name) {
  return gallery.find((spec) => spec.name === name || spec.name.endsWith(`/${name}`));
}

async function check(text) {
  try {
    const checked = await playground.check(text);
    // A later text is checked instead.
    if (!checked || editor.text !== text) return;
    if (stopped) notice('');
    stopped = false;
    const { diagnostics } = checked;
    if (checked.network) {
      network = checked.network;
      panels.changed();
    } else {
      panels.outdated(Boolean(network));
    }
    editor.show(diagnostics);
    list(diagnostics);
  } catch (error) {
    stopped = true;
    notice(error.message);
  }
}

/** The problems, in a line under the editor each, which leads to the place. */
function list(diagnostics) {
  clearTimeout(telling);
  const place = byId('problems');
  const tell = () => {
    // A screen reader would read the same again.
    const key = JSON.stringify(diagnostics);
    if (key === told) return;
    told = key;
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
    const count = errors === 1 ? '1 error' : `${errors} errors`;
    const buttons = diagnostics.slice(0, 3).map(({ severity, message, from, to }) => {
      const button = element('button', { type: 'button', className: severity }, message);
      button.addEventListener('click', () => editor.goTo(from, to));
      return button;
    });
    place.className = errors ? 'wrong' : 'right';
    place.replaceChildren(element('span', {}, errors ? count : 'No errors'), ...buttons);
  };
  if (diagnostics.length) telling = setTimeout(tell, 350);
  else tell();
}

function notice(text) {
  byId('notice').textContent = text;
}

function markChosen(text) {
  const same = gallery.find((spec) => spec.text === text);
  byId('gallery').value = same?.name ?? '';
}

function fillGallery() {
  const groups = new Map();
  for (const { group, name, title } of gallery) {
    if (!groups.has(group)) groups.set(group, element('optgroup', { label: group }));
    const short = name.split('/').at(-1);
    groups.get(group).append(element('option', { value: name }, title ? `${short} – ${title}` : short));
  }
  const select = byId('gallery');
  select.append(...groups.values());
  select.disabled = false;
  select.addEventListener('change', () => {
    const chosen = gallery.find((spec) => spec.name === select.value);
    if (chosen) editor.text = chosen.text;
  });
}

async function open(file) {
  notice('');
  if (/\.toml$/i.test(file.name)) {
    editor.text = await file.text();
    return;
  }
  panels.open(net.id);
  // On a phone it is below the editor.
  byId('tabs').parentElement.scrollIntoView({ block: 'start' });
  await net.show(file);
  panels.shown.current = true;
}

function takeFiles() {
  byId('open').addEventListener('click', () => byId('file').click());
  byId('file').addEventListener('change', ({ target }) => {
    const [file] = target.files;
    // The same file can be chosen again, after it has changed.
    target.value = '';
    if (file) open(file);
  });
  const holdsFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
  const target = byId('drop');
  addEventListener('dragover', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    target.hidden = false;
  });
  addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) target.hidden = true;
  });
  // Before the editor, which would read the file as text.
  addEventListener('drop', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    target.hidden = true;
    const [file] = event.dataTransfer.files;
    if (file) open(file);
  }, { capture: true });
}

async function share() {
  const link = await linkTo(editor.text);
  history.replaceState(null, '', link);
  const button = byId('share');
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'It is in the address';
  }
  setTimeout(() => { button.textContent = 'Copy link'; }, 2000);
}

/** Shows the spec of the address: its text, or its name in the gallery. */
async function load() {
  try {
    notice('');
    const text = await linked(location.hash, (name) => named(name)?.text);
    if (text !== undefined) editor.text = text;
  } catch (error) {
    notice(error.message);
  }
}

async function start() {
  takeFiles();
  byId('share').addEventListener('click', () => share());
  Schema.load().then((schema) => editor.assist(suggestions(schema)), () => notice('completions cannot be loaded'));
  ({ specs: gallery } = await playground.gallery());
  fillGallery();
  await load();
  addEventListener('hashchange', load);
  if (!editor.text) editor.text = named(FIRST)?.text ?? '';
}

start().catch((error) => notice(error.message)).finally(() => document.documentElement.classList.add('ready'));
