// What the JSON Schema of specs says of a place in a spec. Alternatives are followed; of conditions,
// the part that the table's values choose.

export class Schema {
  constructor(document) {
    this.document = document;
  }

  static async load() {
    const response = await fetch('spec.schema.json');
    if (!response.ok) throw new Error('there is no spec.schema.json beside this page');
    return new Schema(await response.json());
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
        keys.set(key, [...(keys.get(key) ?? []), ...expanded(said)]);
      }
    }
    return keys;
  }

  /** What is said of the node at a path. The values of its table choose between conditions. */
  at(path, table) {
    const valuesAt = (depth) => (table?.path.length === depth ? table.values : undefined);
    let schemas = expanded(this.document, valuesAt(0));
    path.forEach((name, index) => {
      schemas = schemas.flatMap((schema) => below(schema, name)).flatMap((said) => expanded(said, valuesAt(index + 1)));
    });
    return schemas;
  }
}

function below(schema, name) {
  return name === '*' ? [schema.items] : [schema.properties?.[name] ?? schema.additionalProperties];
}

/** A schema and all that it consists of. Without values of the table both parts of a condition. */
function expanded(schema, values) {
  if (schema === null || typeof schema !== 'object') return [];
  const alternatives = (schema.anyOf ?? []).flatMap((part) => expanded(part, values));
  if (!schema.if) return [schema, ...alternatives];
  const parts = !values ? [schema.then, schema.else] : holds(schema.if, values) ? [schema.then] : [schema.else];
  const chosen = parts.flatMap((part) => expanded(part, values));
  return [values ? restricted(schema, chosen) : schema, ...alternatives, ...chosen];
}

function holds({ required = [], properties = {} }, values) {
  return required.every((key) => values.has(key)) && Object.entries(properties).every(([key, said]) => {
    const value = values.get(key)?.replace(/^'(.*)'$/, '"$1"');
    return value === undefined || !said.enum || said.enum.some((allowed) => JSON.stringify(allowed) === value);
  });
}

/** The schema with those keys alone that the chosen part of its condition allows too. */
function restricted(schema, chosen) {
  const closed = chosen.filter((part) => part.additionalProperties === false && part.properties);
  if (!closed.length || !schema.properties) return schema;
  const kept = Object.entries(schema.properties).filter(([key]) => closed.some(({ properties }) => key in properties));
  return { ...schema, properties: Object.fromEntries(kept) };
}

/** Values that schemas name. */
export function namedValues(schemas) {
  const named = schemas.flatMap((schema) => schema.enum ?? (schema.type === 'boolean' ? [true, false] : []));
  return [...new Set(named)];
}

/** Whether a key is a table, or many, and not a value too. */
export function isTable(schemas) {
  const types = schemas.flatMap(({ type }) => type ?? []);
  return types.length > 0 && (types.every((type) => type === 'object') || isMany(schemas));
}

export function isMany(schemas) {
  const types = schemas.flatMap(({ type }) => type ?? []);
  return types.length > 0 && types.every((type) => type === 'array')
    && schemas.every(({ items }) => !items || expanded(items).some(({ type }) => type === 'object'));
}

/** The sentences that schemas have, in Markdown. */
export function described(schemas) {
  return [...new Set(schemas.map(({ description }) => description).filter(Boolean))];
}

/** In a few words: the type, the range, the default. */
export function inShort(schemas) {
  const types = new Set(schemas.flatMap(({ type }) => type ?? []));
  const { minimum, maximum } = schemas.find((schema) => 'minimum' in schema || 'maximum' in schema) ?? {};
  const fallback = schemas.find((schema) => schema.default !== undefined)?.default;
  return [
    [...types].join(' or '),
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    fallback !== undefined && `default ${JSON.stringify(fallback)}`,
  ].filter(Boolean).join(', ');
}
