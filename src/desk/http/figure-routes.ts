import { z } from 'zod';
import { type Route, route } from '../../http/route';
import type { Figure } from '../../process/desk/figure';
import { assertPermitted } from '../permitted';
import type { DeskHttp } from './services';

/** Hours of a series. */
const HOURS = 24;

const value = z.object({
  labels: z.record(z.string(), z.string()),
  value: z.union([z.number(), z.string()]),
});

export const figureRoutes = ({ catalogue, now }: DeskHttp): Route[] =>
  catalogue.figures.map((figure) =>
    route({
      method: 'GET',
      path: `/desk/v1/figures/${figure.name}`,
      role: 'operator',
      tag: 'Figures',
      summary: figure.title,
      response:
        figure.type === 'gauge'
          ? z.object({ unit: z.string(), values: z.array(value) })
          : z.object({ unit: z.string(), points: z.array(value.extend({ at: z.string() })) }),
      async read({ caller }) {
        assertPermitted(caller, figure.permission);
        return shown(figure, now());
      },
    }),
  );

async function shown(figure: Figure, now: Date): Promise<object> {
  const { unit } = figure;
  if (figure.type === 'gauge') return { unit, values: await figure.values() };
  const points = await figure.points(new Date(now.getTime() - HOURS * 3_600_000), now);
  return { unit, points: points.map(({ at, ...point }) => ({ at: at.toISOString(), ...point })) };
}
