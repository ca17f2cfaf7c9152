import type { Route } from '../../http/route';
import { catalogueRoute } from './catalogue-routes';
import { decisionRoutes } from './decision-routes';
import { figureRoutes } from './figure-routes';
import { linkRoutes } from './link-routes';
import { listRoutes } from './list-routes';
import { payloadRoute } from './payload-routes';
import { recordRoutes } from './record-routes';
import { searchRoutes } from './search-routes';
import type { DeskHttp } from './services';
import { sessionRoutes } from './session-routes';

/** Every endpoint of the desk, made from the catalogue. */
export const deskRoutes = (desk: DeskHttp): Route[] => [
  ...sessionRoutes(desk),
  ...linkRoutes(desk),
  catalogueRoute(desk),
  ...listRoutes(desk),
  ...recordRoutes(desk),
  ...searchRoutes(desk),
  ...decisionRoutes(desk),
  ...figureRoutes(desk),
  payloadRoute(desk),
];

const DESCRIPTION = `What operators look at and decide. The desk's catalogue declares each list, record, decision and figure.

A decision needs \`x-idempotency-key\`: a repeat returns the first answer. It answers 202 with an approval when another operator
must approve it, and 409 \`version_conflict\` with \`changed\` when its subject has changed since the operator saw it.`;

export const DESK_DOCUMENT = {
  title: 'Cardwright desk',
  description: DESCRIPTION,
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'The token of a session.' },
    cookie: {
      type: 'apiKey',
      in: 'cookie',
      name: 'cardwright_desk',
      description: 'The session of a browser.',
    },
  },
} as const;
