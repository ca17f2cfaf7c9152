// Prints the text of each page of the PDF on standard input, as a JSON list. A process of its own, because the reader is
// an ES module and Jest loads CommonJS.
import { buffer } from 'node:stream/consumers';
import { extractText, getDocumentProxy } from 'unpdf';

const document = await getDocumentProxy(new Uint8Array(await buffer(process.stdin)));
const { text } = await extractText(document, { mergePages: false });
process.stdout.write(JSON.stringify(text));
