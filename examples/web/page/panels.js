// Panels of which one is open. What a panel shows is computed when it is open, and again when the
// network has changed since.

import { element } from './dom.js';

/**
 * @typedef {object} Panel
 * @property {string} id
 * @property {string} title
 * @property {boolean} [follows] whether it shows the spec's network, which becomes old
 * @property {boolean} [immediate] whether it follows each key, as what is computed anyway
 * @property {(host: HTMLElement) => Promise<void> | void} [open] called once, when it is opened first
 * @property {() => Promise<void> | void} [update] shows the network as it is now
 */

/** Typing pauses for so long before what takes longer than a drawing is computed. */
const PAUSE = 200;

const AGAIN = 'again';

export class Panels {
  /**
   * @param {HTMLElement} tabs
   * @param {HTMLElement} host
   * @param {Panel[]} panels
   */
  constructor(tabs, host, panels) {
    this.panels = panels.map((panel) => {
      const body = element('div', { role: 'tabpanel', id: `panel-${panel.id}`, className: 'panel', hidden: true, tabIndex: 0 });
      const tab = element('button', { role: 'tab', type: 'button', id: `tab-${panel.id}`, tabIndex: -1, ariaSelected: 'false' }, panel.title);
      tab.setAttribute('aria-controls', body.id);
      body.setAttribute('aria-labelledby', tab.id);
      tab.addEventListener('click', () => this.open(panel.id));
      tabs.append(tab);
      host.append(body);
      const state = { ...panel, tab, body, opened: false, current: false, problem: '' };
      body.addEventListener(AGAIN, () => {
        state.current = false;
        this.refresh();
      });
      return state;
    });
    tabs.addEventListener('keydown', (event) => this.key(event));
    this.old = document.getElementById('old');
    this.failed = document.getElementById('failed');
    this.isOld = false;
    this.open(panels[0].id);
  }

  get shown() {
    return this.panels.find(({ id }) => id === this.id);
  }

  open(id) {
    this.id = id;
    for (const panel of this.panels) {
      const shown = panel.id === id;
      panel.body.hidden = !shown;
      panel.tab.ariaSelected = String(shown);
      panel.tab.tabIndex = shown ? 0 : -1;
    }
    const panel = this.shown;
    panel.tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.showState();
    if (!panel.opened) {
      panel.opened = true;
      this.attempt(panel, async () => panel.open?.(panel.body));
    }
    this.refresh();
  }

  key(event) {
    const index = this.panels.indexOf(this.shown);
    const last = this.panels.length - 1;
    const next = { ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index === 0 ? last : index - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.open(this.panels[next].id);
    this.shown.tab.focus();
  }

  /** There is another network. */
  changed() {
    this.isOld = false;
    this.showState();
    for (const panel of this.panels) panel.current = false;
    clearTimeout(this.timer);
    if (this.shown.immediate) this.refresh();
    else this.timer = setTimeout(() => this.refresh(), PAUSE);
  }

  /** The spec is wrong now: the network, if there is one, is that of an earlier text. */
  outdated(hasNetwork) {
    this.isOld = true;
    this.old.textContent = hasNetwork ? 'The spec has errors: this is the last network without them.'
      : 'The spec has errors: there is no network yet.';
    this.showState();
  }

  /** Says of the open panel whether it is old, and why it could not be computed. */
  showState() {
    this.failed.hidden = !this.shown.problem;
    this.failed.textContent = this.shown.problem;
    const old = this.isOld && Boolean(this.shown.follows);
    this.old.hidden = !old;
    for (const panel of this.panels) panel.body.classList.toggle('old', old && panel.id === this.id);
  }

  async refresh() {
    const panel = this.shown;
    if (panel.current || !panel.update) return;
    panel.current = true;
    panel.body.setAttribute('aria-busy', 'true');
    await this.attempt(panel, () => panel.update());
    panel.body.removeAttribute('aria-busy');
  }

  async attempt(panel, act) {
    panel.problem = '';
    try {
      await act();
    } catch (error) {
      panel.current = false;
      panel.problem = error.message;
    }
    this.showState();
  }
}

/** Asks for a panel to be computed again, because of a choice in it. */
export function again(host) {
  host.dispatchEvent(new Event(AGAIN));
}
