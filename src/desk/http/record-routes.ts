import { z } from 'zod';
import { Reply, type Route, route } from '../../http/route';
import { giveFile } from '../download';
import { assertPermitted, isPermitted } from '../permitted';
import { reasonSchema } from '../reason';
import { decisionsAbout, recordOfId, revealRecord, tell } from '../tell';
import type { DeskHttp } from './services';
import { upTo1000 } from './up-to-1000';

const DEFAULT_LINES = 50;

const storySchema = z
  .object({
    id: z.string(),
    what: z.string(),
    tenantId: z.string().nullable(),
    status: z.string().nullable(),
    since: z.string().nullable(),
    record: z.looseObject({}),
    workflowId: z.string().optional(),
    workflowUrl: z.string().nullable(),
    dueBy: z.string().nullish(),
    overdue: z.boolean().optional(),
    lists: z.record(z.string(), z.array(z.looseObject({}))),
    cut: z.array(z.string()),
    decisions: z.array(z.string()).meta({ description: 'Names of the decisions on such a record.' }),
    reveals: z
      .boolean()
      .meta({ description: 'Whether something is masked that you may see: it takes `money` or `review`.' }),
  })
  .meta({ id: 'Story' });

const toldReason = z.strictObject({ reason: reasonSchema });

export function recordRoutes(desk: DeskHttp): Route[] {
  const { catalogue, workflowUrl } = desk;
  return [
    contentRoute(desk),
    route({
      method: 'GET',
      path: '/desk/v1/records/{id}',
      role: 'operator',
      tag: 'Records',
      summary: 'The whole story of any id',
      description:
        "The record, the party's words as they came, decisions, entries, webhooks, breaks, audit log.",
      query: z.object({ lines: upTo1000(DEFAULT_LINES) }),
      response: storySchema,
      async read({ caller, params, query }) {
        const id = params['id'] ?? '';
        const record = recordOfId(catalogue, id);
        assertPermitted(caller, record?.permission);
        const story = await tell(catalogue, desk, { id, limit: query.lines });
        return {
          ...story,
          workflowUrl: story.workflowId === undefined ? null : workflowUrl(story.workflowId),
          decisions: decisionsAbout(catalogue, id).map(({ name }) => name),
          reveals: record?.reveal !== undefined && isPermitted(caller, record.reveal.permission),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/desk/v1/records/{id}/reveal',
      role: 'operator',
      tag: 'Records',
      summary: 'Show what is masked of a record',
      description: 'Who sees it, and why, is in the audit log before it is shown.',
      body: toldReason,
      response: z.looseObject({}),
      problems: ['not_found', 'forbidden'],
      idempotency: 'ignored',
      async write(tx, { caller, params, body, requestId }) {
        const id = params['id'] ?? '';
        assertPermitted(caller, recordOfId(catalogue, id)?.permission);
        return revealRecord(catalogue, tx, { caller, requestId, id, reason: body.reason });
      },
    }),
  ];
}

function contentRoute(desk: DeskHttp): Route {
  return route({
    method: 'POST',
    path: '/desk/v1/records/{id}/content',
    role: 'operator',
    tag: 'Records',
    summary: 'Download the file of a record',
    description: 'Who gets it, and why, is in the audit log before it is sent.',
    body: toldReason.extend({
      input: z
        .looseObject({})
        .optional()
        .meta({ description: 'Which file, by the schema in the catalogue: a period, a format.' }),
    }),
    response: z.string().meta({ format: 'binary' }),
    produces: ['application/octet-stream'],
    problems: ['not_found', 'forbidden', 'unavailable'],
    async read({ caller, params, body, requestId }) {
      const { content, headers } = await giveFile(desk, {
        caller,
        requestId,
        id: params['id'] ?? '',
        ...body,
      });
      return new Reply(200, content, headers);
    },
  });
}
