import { MESSAGES, type MessageKind, namespaceOf } from '../messages/kinds';

/** An element to be written. */
export interface Element {
  name: string;
  content: string | readonly Element[];
  attributes?: Readonly<Record<string, string>>;
}

type Parts = readonly (Element | undefined | readonly Element[])[];

/** Makes an element of a text, or of elements. Absent parts are left out. */
export const element = (
  name: string,
  content: string | Parts,
  attributes?: Readonly<Record<string, string>>,
): Element => ({
  name,
  content: typeof content === 'string' ? content : content.flat().filter((part) => part !== undefined),
  attributes,
});

/** As {@link element}, where there is a text. */
export const optional = (name: string, text: string | undefined): Element | undefined =>
  text === undefined ? undefined : element(name, text);

/** The document of a message, without a line break between elements, so that its bytes depend on its content alone. */
export const documentOf = (kind: MessageKind, parts: Parts): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${written(
    element('Document', [element(MESSAGES[kind].root, parts)], { xmlns: namespaceOf(kind) }),
  )}\n`;

function written({ name, content, attributes = {} }: Element): string {
  const given = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('');
  const inner = typeof content === 'string' ? escaped(content) : content.map(written).join('');
  return `<${name}${given}>${inner}</${name}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
