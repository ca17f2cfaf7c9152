/** A part of a document that a script writes, between two marks that stay. */
export interface MarkedBlock {
  /** Names the document in errors. */
  file: string;
  begin: string;
  end: string;
}

/**
 * Replaces the text between the marks of a block. `content` ends with a line break.
 * @throws Error when the document lacks a mark
 */
export function withBlock(document: string, { file, begin, end }: MarkedBlock, content: string): string {
  const from = document.indexOf(`${begin}\n`);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${file} has lost the marks "${begin}" and "${end}"`);
  return `${document.slice(0, from)}${begin}\n${content}${document.slice(to)}`;
}
