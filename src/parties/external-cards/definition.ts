import { defineParty } from '../define';
import { createHttpExternalCards } from './http';
import { externalCardsProtocol } from './protocol';
import { createExternalCardsParty } from './sandbox/application';

export const externalCardsParty = defineParty({
  protocol: externalCardsProtocol,
  adapter: createHttpExternalCards,
  sandbox: createExternalCardsParty,
});
