import { PartyAway } from '../../../../../src/process/party-errors';
import type { Services } from '../../../../../src/services';

/** The services while the screening party is sometimes away, so that a screening stays pending. */
export function screeningAway(services: Services, { wavers }: { wavers(): boolean }): Services {
  const { screening } = services.parties;
  return {
    ...services,
    parties: {
      ...services.parties,
      screening: {
        ...screening,
        screen: async (request) => {
          if (wavers()) throw new PartyAway();
          return screening.screen(request);
        },
      },
    },
  };
}
