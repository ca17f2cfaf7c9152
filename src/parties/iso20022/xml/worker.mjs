// Reads a file of the bank in a thread of its own, so that a hostile file can neither block nor end the process.
// It runs outside of the TypeScript build: libxml2 is an ES module that awaits at its top level.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ParseOption, XmlDocument, XmlElement, XsdValidator } from 'libxml2-wasm';

/** Folder of the schemas, and the names of the messages by namespace. */
const { folder, messages } = workerData;

// Nothing is read but the given text: no entity, no DTD, no network.
const option = ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_NONET;
const validators = new Map();

function validatorOf(kind) {
  const known = validators.get(kind);
  if (known) return known;
  const schema = XmlDocument.fromBuffer(readFileSync(join(folder, `${kind}.xsd`)), { option });
  const made = XsdValidator.fromDoc(schema);
  schema.dispose();
  validators.set(kind, made);
  return made;
}

/** The tree as plain data: an element has either children or a text. */
function treeOf(element) {
  const children = [];
  for (let node = element.firstChild; node; node = node.next)
    if (node instanceof XmlElement) children.push(treeOf(node));
  const made = { name: element.name };
  const { attrs } = element;
  if (attrs.length > 0) made.attributes = Object.fromEntries(attrs.map((each) => [each.name, each.value]));
  if (children.length > 0) made.children = children;
  else made.text = element.content;
  return made;
}

/** The first fault by its line alone, because a message of the validator quotes the file's values. */
function placeOf(error) {
  const line = error?.details?.find((detail) => detail.line > 0)?.line;
  return line === undefined ? '' : `line ${line}`;
}

function textOf(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // drops a byte order mark
  } catch {
    return undefined;
  }
}

const DECLARED = /^<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/;

function read(bytes) {
  const text = textOf(bytes);
  if (text === undefined) return { fault: 'not_utf8', detail: '' };
  const encoding = DECLARED.exec(text)?.[1] ?? 'UTF-8';
  if (encoding.toUpperCase() !== 'UTF-8') return { fault: 'not_utf8', detail: 'declared' };
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) return { fault: 'doctype', detail: '' };
  let document;
  try {
    document = XmlDocument.fromString(text, { option });
  } catch (error) {
    return { fault: 'not_xml', detail: placeOf(error) };
  }
  try {
    const { root } = document;
    const kind = messages[root.namespaceUri];
    if (kind === undefined || root.name !== 'Document') return { fault: 'unknown_message', detail: '' };
    try {
      validatorOf(kind).validate(document);
    } catch (error) {
      return { fault: 'schema', detail: placeOf(error) };
    }
    return { kind, tree: treeOf(root) };
  } finally {
    document.dispose();
  }
}

parentPort.on('message', ({ id, bytes }) => {
  try {
    parentPort.postMessage({ id, result: read(bytes) });
  } catch {
    // Out of memory, or nested too deep for the stack.
    parentPort.postMessage({ id, result: { fault: 'unreadable', detail: '' } });
  }
});
