'use strict';

/** An ESLint rule that refuses retired names, because readers could not guess from them what they name. */

/** Retired identifiers, each with the name to use instead. */
const IDENTIFIERS = [
  [/^MOST_/, 'MAX_…'],
  [/^assertThere$/, 'assertBookedBalance'],
  [/^toldHash(es)?$/, 'a name that says who reported the hash'],
  [/^besideBooks$/, 'holdings'],
  [/^otherWord$/, 'changedReport'],
  [/^(use|weigh|through)Door$|^doorsOf$|^DoorKind$/, 'resolution'],
  [/^Told(Back|Name|Refund|Order|Payment|Card|Deal|Review|Nonces|Mined|Coin)$/, 'Reported…, or …Report'],
  [/^tellOf$/, 'receiveReport'],
  [/^hear$/, 'withReport, recordReport'],
];

/** Ends of retired paths without `.ts` and `.test.ts`, each with the name to use instead. */
const FILES = [
  ['beside-books', 'chain/holdings'],
  ['there', 'assert-booked-balance'],
  ['doors', 'resolutions'],
  ['told-names', 'reported-names'],
  ['tell-page', 'deliver-page'],
  ['told-hashes', 'a name that says who reported the hash'],
  ['given', 'network-input'],
  ['still', 'step-guards'],
  ['reach', 'context'],
  ['course', 'list-loop-guard'],
  ['chains/read', 'follow-blocks, reorganisation'],
  ['processor/line', 'answer-message, deduplicate'],
  ['accounts/transfer', 'internal-transfer'],
  ['by-hand', 'decisions'],
];

/** @type {import('eslint').Rule.RuleModule} */
module.exports = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      identifier: '`{{name}}` is a retired name. Use {{instead}}.',
      file: '`{{name}}` is a retired file name. Use {{instead}}.',
    },
  },
  create(context) {
    return {
      Program(node) {
        const path = `/${context.filename.replaceAll('\\', '/').replace(/(\.test)?\.[a-z]+$/, '')}`;
        for (const [name, instead] of FILES)
          if (path.endsWith(`/${name}`)) context.report({ node, messageId: 'file', data: { name, instead } });
      },
      Identifier(node) {
        for (const [pattern, instead] of IDENTIFIERS)
          if (pattern.test(node.name))
            context.report({ node, messageId: 'identifier', data: { name: node.name, instead } });
      },
    };
  },
};
