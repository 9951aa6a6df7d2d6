// What the JSON Schema of specs says of a place in a spec. `$ref`, alternatives and conditions are
// followed; of alternatives that fix a key, those stay that agree with what the table says.

export class Schema {
  constructor(document) {
    this.document = document;
  }

  static async load() {
    const response = await fetch('spec.schema.json');
    return new Schema(response.ok ? await response.json() : {});
  }

  /**
   * Keys that a table can have.
   * @param {import('./toml.js').Table} table
   * @returns {Map<string, object[]>} what is said of each
   */
  keys(table) {
    const keys = new Map();
    for (const schema of this.at(table.path, table)) {
      for (const [key, said] of Object.entries(schema.properties ?? {})) {
        if (said === false) continue;
        keys.set(key, [...(keys.get(key) ?? []), ...this.expand(said)]);
      }
    }
    return keys;
  }

  /** What is said of the node at a path. The table's values choose between alternatives. */
  at(path, table) {
    let schemas = this.expand(this.document);
    path.forEach((name, depth) => {
      if (table && depth === table.path.length) schemas = agreeing(schemas, table.values);
      schemas = schemas.flatMap((schema) => below(schema, name)).flatMap((said) => this.expand(said));
    });
    return table && path.length === table.path.length ? agreeing(schemas, table.values) : schemas;
  }

  /** A schema and all that it consists of. */
  expand(schema, seen = new Set()) {
    if (schema === null || typeof schema !== 'object' || seen.has(schema)) return [];
    seen.add(schema);
    const parts = [schema.$ref && this.referred(schema.$ref), schema.then, schema.else,
      ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    return [schema, ...parts.filter(Boolean).flatMap((part) => this.expand(part, seen))];
  }

  referred(pointer) {
    const names = pointer.replace(/^#\/?/, '').split('/').filter(Boolean);
    return names.reduce((found, name) => found?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], this.document);
  }
}

function below(schema, name) {
  if (name === '*') return [schema.items, ...(schema.prefixItems ?? [])].flat();
  const said = schema.properties?.[name];
  return said !== undefined ? [said] : [schema.additionalProperties];
}

/** Those that do not fix a key to another value than the table's. */
function agreeing(schemas, values) {
  return schemas.filter(({ properties }) => Object.entries(properties ?? {}).every(([key, said]) => {
    const allowed = said?.const !== undefined ? [said.const] : undefined;
    const value = values.get(key);
    return !allowed || !value || allowed.some((one) => JSON.stringify(one) === value);
  }));
}

/** Values that schemas name, with what is said of each. */
export function namedValues(schemas) {
  const values = new Map();
  const add = (value, said) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (said || !values.has(text)) values.set(text, { value, said });
  };
  for (const schema of schemas) {
    (schema.enum ?? []).forEach((value, index) => add(value, schema.enumDescriptions?.[index]
      ?? schema['x-enum-descriptions']?.[index] ?? (schema.enum.length === 1 ? schema.description : undefined)));
    if (schema.const !== undefined) add(schema.const, schema.description);
    if (schema.type === 'boolean') [true, false].forEach((value) => add(value));
  }
  return [...values.values()];
}

/** The sentences that schemas have. */
export function described(schemas) {
  const said = schemas.map(({ description }) => description).filter(Boolean);
  return [...new Set(said)];
}

/** In a few words: the type, the range, the default. */
export function inShort(schemas) {
  const types = new Set(schemas.flatMap(({ type }) => type ?? []));
  const limits = schemas.find(({ minimum, maximum }) => minimum !== undefined || maximum !== undefined);
  const fallback = schemas.find((schema) => schema.default !== undefined)?.default;
  const words = [[...types].join(' or ')];
  if (limits?.minimum !== undefined && limits.maximum !== undefined) words.push(`${limits.minimum} to ${limits.maximum}`);
  else if (limits?.minimum !== undefined) words.push(`at least ${limits.minimum}`);
  else if (limits) words.push(`at most ${limits.maximum}`);
  if (fallback !== undefined) words.push(`default ${JSON.stringify(fallback)}`);
  return words.filter(Boolean).join(', ');
}
