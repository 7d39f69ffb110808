// Writes the types of src/generated from the description of the API (docs/openapi.json).
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const document = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));

/**
 * Everything that is generated: contents by file name.
 * @returns {Promise<Record<string, string>>}
 */
export async function generated() {
  const api = JSON.parse(readFileSync(document, 'utf8'));
  const banner = '// Made by scripts/generate.mjs from docs/openapi.json.\n\n';
  // An object of which nothing is said may hold anything.
  const types = astToString(await openapiTS(api, { emptyObjectsUnknown: true, alphabetize: false }));
  return {
    'api.ts': banner + types,
    'events.ts': banner + events(api.components.schemas.Event),
  };
}

/** The types of events, and which payload each has. */
function events(event) {
  const names = event.properties.type.enum;
  const payloads = new Map(
    event.oneOf.map(({ properties: { type, payload } }) => [type.const, payload.$ref.split('/').at(-1)]),
  );
  const missing = names.filter((name) => !payloads.has(name));
  if (missing.length > 0) throw new Error(`no payload is described for ${missing.join(', ')}`);
  return [
    "import type { components } from './api.js';",
    '',
    'type Schemas = components["schemas"];',
    '',
    '/** Every type of event. */',
    'export const EVENT_TYPES = [',
    ...names.map((name) => `    "${name}",`),
    '] as const;',
    '',
    '/** What is said of each type of event. */',
    'export interface Payloads {',
    ...names.map((name) => `    ${name}: Schemas["${payloads.get(name)}"];`),
    '}',
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of Object.entries(await generated())) {
    writeFileSync(new URL(`../src/generated/${name}`, import.meta.url), text);
  }
}
