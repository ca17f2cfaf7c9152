import { type Command, InvalidArgumentError, Option } from 'commander';

interface FieldSchema {
  /** Several for a field that may be null. */
  type?: string | string[];
  enum?: unknown[];
  items?: { type?: string; enum?: unknown[]; format?: string };
  description?: string;
  /** The other form of a field that may be null. */
  anyOf?: FieldSchema[];
}

/** The part of a JSON Schema that makes options. */
export interface ObjectSchema {
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

/** `olderThan` is `--older-than`. */
const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Adds an option for each field. True is a flag, and false its `--no-` form. The option of a list of texts takes several
 * or is repeated. Words and networks may also be separated by commas. A value that is neither text nor a number is given as JSON.
 */
export function addFields(command: Command, { properties = {}, required = [] }: ObjectSchema): void {
  for (const [name, field] of Object.entries(properties)) {
    const { type, enum: one, items } = notNull(field);
    const { description = '' } = field;
    const isTexts = type === 'array' && items?.type === 'string';
    const choices = isTexts ? items.enum : one;
    const value = isTexts ? ' <value...>' : ' <value>';
    const flag = `--${flagOf(name)}${type === 'boolean' ? '' : value}`;
    const option = new Option(flag, description);
    if (choices) option.choices(choices.map(String));
    if (isTexts && (choices || items.format === 'cidr'))
      option.argParser(commaSeparated(choices?.map(String)));
    if (type === 'integer' || type === 'number') option.argParser(numberArgument);
    if (type === 'object' || (type === 'array' && !isTexts)) option.argParser(jsonArgument);
    if (required.includes(name)) option.makeOptionMandatory();
    command.addOption(option);
    if (type === 'boolean') command.addOption(new Option(`--no-${flagOf(name)}`));
  }
}

/** The schema of a field's values other than null. */
function notNull(field: FieldSchema): Omit<FieldSchema, 'type'> & { type?: string | undefined } {
  const { type, ...found } = field.anyOf?.find((each) => each.type !== 'null') ?? field;
  return { ...found, type: Array.isArray(type) ? type.find((each) => each !== 'null') : type };
}

/** The given fields among the options of a command. */
export const fieldsOf = (
  { properties = {} }: ObjectSchema,
  options: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(properties).flatMap((name) => (name in options ? [[name, options[name]]] : [])),
  );

function numberArgument(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw new InvalidArgumentError('It takes a number.');
  return number;
}

/** Adds the parts of a text to those of the option's former values. @param choices absent: any text */
const commaSeparated =
  (choices?: readonly string[]) =>
  (text: string, former: string[] = []): string[] => {
    const parts = text.split(',').map((part) => part.trim());
    const wrong = parts.find((part) => choices && !choices.includes(part));
    if (wrong !== undefined) throw new InvalidArgumentError(`Allowed choices are ${choices?.join(', ')}.`);
    return [...former, ...parts];
  };

function jsonArgument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It takes JSON.');
  }
}
