import type { Context } from 'koa';
import { messagePage } from '../kernel/wire/page/page';

interface Words {
  title: string;
  text: string;
}

const WORDS: Readonly<Record<number, Words>> = {
  401: { title: 'This address is for programs', text: 'A program calls it with its credentials.' },
  403: { title: 'Not permitted', text: 'This address is not open to you.' },
  404: { title: 'Nothing is here', text: 'This address leads to no page. Please check it.' },
  405: { title: 'Nothing is here', text: 'This address is for programs and shows no page.' },
  429: { title: 'Too many requests', text: 'Please wait a moment, then load the page again.' },
  500: { title: 'Something went wrong', text: 'The fault is ours. Please try again later.' },
  503: { title: 'Not available now', text: 'Please load the page again in a moment.' },
};
const OTHER: Words = { title: 'This did not work', text: 'Please go back and try again.' };

/** Turns an error that is JSON into a page where the caller prefers HTML, as a browser that opens an address does. */
export function showErrorPage(ctx: Context, requestId: string): void {
  if (ctx.status < 400 || !ctx.response.is('json') || ctx.accepts('json', 'html') !== 'html') return;
  const { document, headers } = messagePage({
    ...(WORDS[ctx.status] ?? OTHER),
    footer: `Request ${requestId}`,
  });
  ctx.set(headers);
  ctx.body = document;
}
