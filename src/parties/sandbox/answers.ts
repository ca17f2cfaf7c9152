import type { Context } from 'koa';

export function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status;
  ctx.body = body;
}

/** A refusal in the words of our protocol: a code. */
export const refuse = (ctx: Context, status: number, code: string): void =>
  answer(ctx, status, { code, message: code });

/** The connection breaks before an answer. */
export function dropConnection(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}
