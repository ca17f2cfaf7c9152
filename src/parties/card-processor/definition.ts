import { defineParty } from '../define';
import { createHttpCardProcessor } from './http';
import { cardProcessorProtocol } from './protocol';
import { createCardProcessorParty } from './sandbox/application';

export const cardProcessorParty = defineParty({
  protocol: cardProcessorProtocol,
  adapter: createHttpCardProcessor,
  sandbox: createCardProcessorParty,
});
