import type { Route } from '../../http/route';
import type { Services } from '../../services';
import { candidateRoutes } from './candidates/routes';
import { gasConfigRoutes } from './config/routes';
import { gasOperationRoutes } from './operations/routes';
import { stationRoutes } from './station/routes';
import { stationTopupRoutes } from './station-topups/routes';

/** Routes of the gas station (`interface.md 4.1`), for the operator only. */
export const gasStationRoutes = (services: Services): Route[] => [
  ...gasConfigRoutes(services),
  ...stationRoutes(services),
  ...candidateRoutes(services),
  ...gasOperationRoutes(services),
  ...stationTopupRoutes(services),
];
