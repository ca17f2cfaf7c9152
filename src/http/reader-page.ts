import { html } from '../kernel/wire/html';

/** The parts of the document that the page shows before its scripts have come. */
export interface Guide {
  info: { title: string; version: string };
  tags?: { name: string }[];
}

const NO_READER = 'This installation was not built with a reader.';

/**
 * The page of the reader. The title and the groups of operations paint at once. The reader then replaces them. Relative
 * addresses work behind a proxy's path prefix.
 * @param hasReader whether the installation has the reader's scripts. Without them the page names the document alone
 */
export const readerHtml = ({ info, tags = [] }: Guide, hasReader: boolean): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<link rel="icon" type="image/svg+xml" href="docs/icon.svg">
${hasReader ? html`<link rel="modulepreload" href="docs/reader/standalone.esm.js">` : undefined}
<style>
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; }
#first { max-width: 60rem; margin: 0 auto; padding: 3rem 1.25rem; }
#first li { margin: .25rem 0; }
#reference .markdown :is(th, td) { word-break: normal; overflow-wrap: break-word; }
#reference .markdown :is(th, td) code { overflow-wrap: anywhere; }
:root { --scalar-font: system-ui, sans-serif; --scalar-font-code: ui-monospace, Menlo, Consolas, monospace; }
</style>
</head>
<body>
<main id="first">
<h1>${info.title} API</h1>
<p>Version ${info.version}. ${hasReader ? 'The reader is loading.' : NO_READER} The document itself is <a href="openapi.json">openapi.json</a>.</p>
<ul>
${tags.map(({ name }) => html`<li>${name}</li>`)}
</ul>
</main>
<div id="reference"></div>
${hasReader ? html`<script type="module" src="docs/start.js"></script>` : undefined}
</body>
</html>
`.text;

/** Starts the reader: no fonts, counters or helpers of other hosts. */
export const readerStart = (
  keepsCredentials: boolean,
): string => `import { createApiReference } from './reader/standalone.esm.js';

createApiReference('#reference', {
  url: 'openapi.json',
  onLoaded: () => document.getElementById('first')?.remove(),
  persistAuth: ${keepsCredentials},
  authentication: { preferredSecurityScheme: ['clientId', 'clientSecret'] },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
`;
