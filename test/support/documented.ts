import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { oas31 } from 'zod-openapi';

/** An answer of the API in a test. */
export interface Seen {
  method: string;
  /** Path with its query. */
  path: string;
  status: number;
  contentType: string;
  text: string;
}

/** Follows a reference of the document: a shared answer, or a named schema. */
export function resolvedIn(document: any, node: any): any {
  if (typeof node?.$ref !== 'string') return node;
  const path = (node.$ref as string).slice(2).split('/');
  return path.reduce((at, part) => at?.[part], document);
}

type Operation = oas31.OperationObject;
type Paths = Record<string, Record<string, Operation>>;

/**
 * Compares each answer with the OpenAPI document: its status, its problem code, and its body by the schema.
 * @returns a function that throws an Error with the operation and the undocumented part. It ignores paths and methods
 * that the document lacks
 */
export function documentedAnswers(document: oas31.OpenAPIObject): (seen: Seen) => void {
  const paths = document.paths as Paths;
  const templates = Object.keys(paths).map(templateOf).sort(byParameters);
  const schemas = new Ajv2020({ strict: false, allErrors: true });
  addFormats(schemas);
  schemas.addFormat('decimal', true);
  schemas.addFormat('decimal', true);
  schemas.addFormat('uri', true); // a payer's URL may have letters beyond ASCII
  schemas.addSchema({ $id: ROOT, components: document.components });
  const validators = new Map<string, ValidateFunction>();

  function validatorOf(name: string, schema: object): ValidateFunction {
    const known = validators.get(name);
    if (known) return known;
    const compiled = schemas.compile(rooted(schema));
    validators.set(name, compiled);
    return compiled;
  }

  return ({ method, path, status, contentType, text }) => {
    const bare = path.split('?')[0] ?? '';
    const template = templates.find(({ pattern }) => pattern.test(bare))?.path;
    const operation = template && paths[template]?.[method.toLowerCase()];
    if (!operation) return;
    const name = `${method} ${template} ${status}`;
    const response = resolvedIn(document, operation.responses?.[status]) as oas31.ResponseObject | undefined;
    if (!response) throw new Error(`${name} is not in the OpenAPI document: ${text.slice(0, 300)}`);
    if (response.content === undefined) {
      if (text !== '') throw new Error(`${name} has no body in the OpenAPI document: ${text.slice(0, 300)}`);
      return;
    }
    const type = contentType.split(';')[0] ?? '';
    const content = response.content[type];
    if (!content) throw new Error(`${name} is never ${type} in the OpenAPI document`);
    if (type !== 'application/json' || !content.schema) return;
    const body = JSON.parse(text) as { code?: string };
    const valid = validatorOf(name, content.schema);
    if (!valid(body))
      throw new Error(
        `${name} differs from the OpenAPI document: ${schemas.errorsText(valid.errors)}\n${text}`,
      );
    if (status >= 400 && !response.description?.includes(`\`${body.code}\``))
      throw new Error(`${name} has the code ${body.code}, which the OpenAPI document does not name: ${text}`);
  };
}

/** The document's own name for references within it. */
const ROOT = 'openapi';

/** References of a schema start at the document, so they get its name as a prefix. */
const rooted = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${ROOT}#/`));

function templateOf(path: string) {
  const text = path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+');
  return { path, pattern: new RegExp(`^${text}$`), parameters: path.split('{').length };
}

/** The path with fewer parameters comes first, because `/v1/cards/{id}` also matches `/v1/cards/quote`. */
const byParameters = (one: { parameters: number }, other: { parameters: number }) =>
  one.parameters - other.parameters;
