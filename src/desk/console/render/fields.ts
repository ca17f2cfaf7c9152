import { invalid } from '../../../kernel/errors';
import { type Html, html } from '../../../kernel/wire/html';
import { capital, flag, wordsOf } from './cells';

/** The fields of a form, made from the JSON Schema of a decision's input or of a list's filters, and read back. */

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
  examples?: unknown[];
  default?: unknown;
  maxLength?: number;
  format?: string;
  writeOnly?: boolean;
}

type Kind = 'text' | 'long' | 'number' | 'choice' | 'truth' | 'choices' | 'texts' | 'json';

export interface Field {
  /** Name in the form: `input.account`. A field of an object is `input.address.city`. */
  path: string;
  label: string;
  kind: Kind;
  isRequired: boolean;
  /** Whether it may be set to nothing. */
  isNullable: boolean;
  /** Whether no page shows it: `writeOnly`, or the format `password`. */
  isSecret: boolean;
  choices: string[];
  hint: string;
}

/** @param prefix of the names in the form: `input`, or nothing */
export function fieldsOf(schema: object, prefix: string): Field[] {
  const { properties = {}, required = [] } = schema as Schema;
  return Object.entries(properties).flatMap(([name, each]) =>
    fieldOf(each, prefix === '' ? name : `${prefix}.${name}`, required.includes(name), wordsOf(name)),
  );
}

/** Text longer than this is written in several lines. */
const LINE = 250;

function fieldOf(given: Schema, path: string, isRequired: boolean, label: string): Field[] {
  const { schema, isNullable } = plainOf(given);
  const { type, description, examples = [] } = schema;
  if (type === 'object' && schema.properties && !isNullable)
    return Object.entries(schema.properties).flatMap(([name, each]) =>
      fieldOf(
        each,
        `${path}.${name}`,
        isRequired && (schema.required ?? []).includes(name),
        `${label}: ${wordsOf(name)}`,
      ),
    );
  const kind = kindOf(schema);
  const example = examples[0] === undefined ? '' : `Such as ${exampleText(examples[0])}.`;
  const how = kind === 'texts' ? 'One a line.' : kind === 'json' ? 'JSON.' : '';
  const hint = [given.description ?? description ?? '', how, example].filter((text) => text !== '').join(' ');
  const choices = (schema.enum ?? schema.items?.enum ?? []).map(String);
  return [
    {
      path,
      label: capital(label),
      kind,
      isRequired: isRequired && given.default === undefined,
      isNullable,
      isSecret: schema.writeOnly === true || schema.format === 'password',
      choices,
      hint,
    },
  ];
}

const exampleText = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example);

/** The schema without the alternative of null. */
function plainOf(schema: Schema): { schema: Schema; isNullable: boolean } {
  const { anyOf = schema.oneOf ?? [], type } = schema;
  if (Array.isArray(type)) {
    const [first = 'string', ...others] = type.filter((each) => each !== 'null');
    return {
      schema: { ...schema, type: others.length === 0 ? first : 'any' },
      isNullable: type.includes('null'),
    };
  }
  const rest = anyOf.filter((each) => each.type !== 'null');
  const isNullable = rest.length < anyOf.length;
  const [only] = rest;
  if (only && rest.length === 1) return { schema: { ...schema, anyOf: undefined, ...only }, isNullable };
  const isTexts = rest.length > 0 && rest.every((each) => each.type === 'string');
  return { schema: isTexts ? { ...schema, type: 'string' } : schema, isNullable };
}

function kindOf({ type, enum: choices, items, maxLength = 0, format, anyOf }: Schema): Kind {
  if (choices) return 'choice';
  if (type === 'boolean') return 'truth';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' && items?.enum) return 'choices';
  if (type === 'array' && items?.type === 'string') return 'texts';
  if (type === 'string') return maxLength > LINE && format === undefined ? 'long' : 'text';
  return type === undefined && anyOf === undefined ? 'text' : 'json';
}

/** Name of the box that sets a field to nothing. */
const nothing = (path: string): string => `none.${path}`;

/**
 * Reads the input back. Fields that were left empty are left out.
 * @throws Problem 400 naming a field whose text is no JSON or no number
 */
export function inputOf(
  form: URLSearchParams,
  fields: readonly Field[],
  prefix: string,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    const value = form.has(nothing(field.path)) ? null : valueIn(form, field);
    if (value === undefined) continue;
    const names = field.path.slice(prefix.length + 1).split('.');
    const last = names.pop() as string;
    let place = input;
    for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>;
    place[last] = value;
  }
  return input;
}

function valueIn(form: URLSearchParams, { path, kind }: Field): unknown {
  const text = form.get(path) ?? '';
  if (kind === 'choices') return form.has(`${path}.asked`) ? form.getAll(path) : undefined;
  if (text.trim() === '') return undefined;
  if (kind === 'truth') return text === 'true';
  if (kind === 'texts')
    return text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (kind === 'number') return numberIn(text.trim(), path);
  if (kind === 'json') return jsonIn(text, path);
  return kind === 'long' ? text.replaceAll('\r\n', '\n') : text.trim();
}

function numberIn(text: string, path: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) throw invalid(`${path} must be a number.`, path);
  return value;
}

function jsonIn(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`${path} must be JSON.`, path);
  }
}

/** The fields of a form as hidden ones, unchanged, and whether any was given. */
export const namesIn = (field: Field): string[] => [field.path, nothing(field.path), `${field.path}.asked`];

export interface Shown {
  value: string;
  /** All values of a field with several. */
  values?: string[];
  isNothing?: boolean;
  wrong?: string | undefined;
}

/** What the operator has typed into a field. */
export const typedIn = (form: URLSearchParams, { path }: Field): Shown => ({
  value: form.get(path) ?? '',
  values: form.getAll(path),
  isNothing: form.has(nothing(path)),
});

/** A labelled input, with its hint and what is wrong with it. */
export function fieldInput(field: Field, shown: Shown): Html {
  const { path, label, isRequired, isNullable, hint } = field;
  const { wrong } = shown;
  const id = idOf(path);
  const mark = isRequired ? html` <span class="required" aria-hidden="true">required</span>` : undefined;
  const told = html`${hint === '' ? undefined : html`<p class="hint" id="${id}-hint">${hint}</p>`}${
    wrong === undefined ? undefined : html`<p class="wrong" id="${id}-wrong">${wrong}</p>`
  }`;
  if (field.kind === 'choices')
    return html`<fieldset class="field"><legend>${label}${mark}</legend><input type="hidden" name="${path}.asked" value="yes">${choiceBoxes(field, shown)}${told}</fieldset>`;
  const box = isNullable
    ? html`<label class="check"><input type="checkbox" name="${nothing(path)}" value="yes"${flag('checked', shown.isNothing ?? false)}>Set to nothing</label>`
    : undefined;
  return html`<div class="field"><label for="${id}">${label}${mark}</label>${control(field, shown)}${told}${box}</div>`;
}

const idOf = (path: string): string => `field-${path.replaceAll('.', '-')}`;

const choiceBoxes = ({ path, choices }: Field, { values = [] }: Shown): Html =>
  html`${choices.map(
    (choice) =>
      html`<label class="check"><input type="checkbox" name="${path}" value="${choice}"${flag('checked', values.includes(choice))}>${choice}</label>`,
  )}`;

function control(field: Field, { value, wrong }: Shown): Html {
  const { path, kind, isRequired, isNullable, hint, choices } = field;
  const id = idOf(path);
  const described = [hint === '' ? '' : `${id}-hint`, wrong === undefined ? '' : `${id}-wrong`]
    .join(' ')
    .trim();
  const attributes = html`id="${id}" name="${path}"${flag('required', isRequired && !isNullable)}${
    described === '' ? undefined : html` aria-describedby="${described}"`
  }${flag('aria-invalid="true"', wrong !== undefined)}`;
  if (kind === 'choice' || kind === 'truth') {
    const options: [string, string][] =
      kind === 'truth'
        ? [
            ['true', 'yes'],
            ['false', 'no'],
          ]
        : choices.map((each): [string, string] => [each, wordsOf(each)]);
    return html`<select ${attributes}><option value=""></option>${options.map(
      ([name, shown]) => html`<option value="${name}"${flag('selected', name === value)}>${shown}</option>`,
    )}</select>`;
  }
  if (kind === 'long' || kind === 'texts' || kind === 'json')
    return html`<textarea ${attributes} rows="3" spellcheck="${kind === 'long' ? 'true' : 'false'}"${flag('class="code"', kind === 'json')}>${value}</textarea>`;
  const mode = kind === 'number' ? html` inputmode="decimal"` : undefined;
  return html`<input type="${field.isSecret ? 'password' : 'text'}" ${attributes} value="${value}" autocomplete="off" spellcheck="false"${mode}>`;
}
