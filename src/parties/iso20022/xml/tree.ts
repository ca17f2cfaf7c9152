/** An element as the reading thread hands it over. An element has children or a text. */
export interface XmlNode {
  name: string;
  attributes?: Readonly<Record<string, string>>;
  children?: readonly XmlNode[];
  text?: string;
}

/** The elements of a name directly below an element. */
export const childrenOf = (node: XmlNode | undefined, name: string): XmlNode[] =>
  (node?.children ?? []).filter((child) => child.name === name);

/** The first element at a path of names: `GrpHdr/MsgId`. */
export function at(node: XmlNode | undefined, path: string): XmlNode | undefined {
  let found = node;
  for (const name of path.split('/')) found = found?.children?.find((child) => child.name === name);
  return found;
}

/** The text at a path. Undefined where there is no such element, or where it is empty. */
export function textAt(node: XmlNode | undefined, path: string): string | undefined {
  const text = at(node, path)?.text?.trim();
  return text === undefined || text === '' ? undefined : text;
}

/** The text of an element that the schema demands. */
export const needAt = (node: XmlNode | undefined, path: string): string => {
  const text = textAt(node, path);
  if (text === undefined) throw new Error(`the schema lets ${path} be absent`);
  return text;
};

/** Whether the indicator at a path is set. The schema allows two spellings. */
export const isSetAt = (node: XmlNode | undefined, path: string): boolean =>
  ['true', '1'].includes(textAt(node, path) ?? '');
