/** Text that is already HTML. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | Html[] | string | number | undefined;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

/** Template tag for HTML. Escapes all values except {@link Html}, so that no caller's text becomes a tag. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  const parts = strings.map((text, index) => text + (index < values.length ? rendered(values[index]) : ''));
  return new Html(parts.join(''));
}

function rendered(value: Value): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map(({ text }) => text).join('');
  return value instanceof Html ? value.text : escape(String(value));
}
