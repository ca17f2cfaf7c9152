import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path of the guide, from the root. */
export const INTEGRATE = 'docs/guides/integrate-in-an-hour.md';

/** A step from a clone to reconciled books, as the guide's table has it. */
export interface Step {
  title: string;
  /** Words by which a newcomer finds the step. */
  words: string;
  /** Chapter of the README. */
  readme?: string;
  /** Chapter of a guide that `/docs` shows. */
  chapter?: string;
  /** Operations of the document, as `GET /v1/accounts`. */
  operations: string[];
}

export function stepsOf(guide = readFileSync(join(__dirname, '../..', INTEGRATE), 'utf8')): Step[] {
  const rows = [...guide.matchAll(/^\| (\d+\. [^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)];
  return rows.map(([, title = '', words = '', found = '']) => {
    const [, chapter, link = ''] = /\[([^\]]+)\]\(([^)]+)\)/.exec(found) ?? [];
    const operations = [...found.matchAll(/`([A-Z]+ \/[^`]+)`/g)].map(([, name]) => name as string);
    if (chapter === undefined) return { title, words, operations };
    return link.includes('README.md')
      ? { title, words, operations, readme: chapter }
      : { title, words, operations, chapter };
  });
}
