// Elements of the page.

/** An element with properties and children. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  const { role, ...rest } = properties;
  if (role) made.setAttribute('role', role);
  Object.assign(made, rest);
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

export const byId = (id) => document.getElementById(id);

export const signed = (number) => (number > 0 ? '+' : '') + number;

/** A number of bytes as people read it. */
export function bytesInWords(bytes) {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let power = 0;
  while (bytes >= 1000 && power < 3) [bytes, power] = [bytes / 1000, power + 1];
  return `${power ? bytes.toPrecision(3) : bytes} ${units[power]}`;
}

/** A picture in SVG. It is parsed as XML, and the page's policy runs no script that it may have. */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  if (parsed.localName !== 'svg') throw new Error('the picture is damaged');
  return document.importNode(parsed, true);
}

/** Names and values in two columns. */
export function facts(rows) {
  return element('dl', { className: 'facts' }, ...rows.map(({ label, value }) => element('div', {
    className: String(value).length > 40 ? 'long' : '',
  }, element('dt', {}, label), element('dd', {}, String(value)))));
}
