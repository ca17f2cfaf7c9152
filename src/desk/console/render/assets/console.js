'use strict';

/** What the console does in a browser beside htmx. Each page works without it. */

/** Forms that a page sends by itself, after signing in. */
for (const form of document.querySelectorAll('form[data-send]')) form.submit();

/** The token of a one-time link stands behind the `#` of the address. It goes from there, so that no history keeps it. */
const token = document.querySelector('input[data-from-hash]');
if (token && location.hash.length > 1) {
  token.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}

/** A `/` outside of a field goes to the search. */
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, textarea, select, [contenteditable]')) return;
  event.preventDefault();
  document.getElementById('search')?.focus();
});

/** A decision is sent once. The field of the pressed button is read before the buttons are disabled. */
document.addEventListener('submit', (event) => {
  if (!event.target.matches('form[data-once]')) return;
  setTimeout(() => {
    for (const button of event.target.querySelectorAll('button')) button.disabled = true;
  });
});

/** Buttons of a page that the browser takes out of its memory work again. */
window.addEventListener('pageshow', (event) => {
  if (event.persisted) for (const button of document.querySelectorAll('button')) button.disabled = false;
});

/** An id is copied by a click. */
document.addEventListener('click', (event) => {
  const id = event.target.closest('[data-copy]');
  if (!id || String(getSelection()) !== '') return;
  navigator.clipboard?.writeText(id.textContent).then(
    () => id.setAttribute('data-copied', ''),
    () => undefined,
  );
});

/** Without a session, the browser sends the form itself, so that it is kept while its operator signs in. */
document.addEventListener('htmx:beforeSwap', (event) => {
  const { xhr, requestConfig } = event.detail;
  const form = requestConfig.elt.closest('form');
  if (!form || (xhr.status !== 401 && xhr.status !== 403)) return;
  if (xhr.responseText.includes('id="decision"')) return;
  event.detail.shouldSwap = false;
  form.submit();
});

/**
 * A part that was put into the page gets the focus, so that a keyboard and a screen reader follow. The focus moves at once,
 * because later an operator may already type in another field.
 */
document.addEventListener('htmx:afterSwap', (event) => {
  const box = document.getElementById('decision');
  if (!box || event.detail.elt.id !== 'decision') return;
  const first = box.querySelector(
    '[aria-invalid], .notice, input:not([type=hidden]), select, textarea, button',
  );
  if (first && !first.matches('input, select, textarea, button')) first.tabIndex = -1;
  first?.focus();
});

/** Times that were put into the page get their local time, too. */
document.addEventListener('htmx:load', () => addLocalTimes());

/** The overview does not refresh itself while somebody reads an unfolded part of it, or stands in it with the keyboard. */
document.addEventListener('htmx:beforeRequest', (event) => {
  const { elt } = event.detail;
  if (elt.id !== 'overview') return;
  if (elt.querySelector('details[open]') || elt.contains(document.activeElement)) event.preventDefault();
});

/** A click that opens another tab is the browser's, not htmx's. */
document.addEventListener(
  'click',
  (event) => {
    const opensTab = event.ctrlKey || event.metaKey || event.shiftKey;
    if (opensTab && event.target.closest('a[hx-get]')) event.stopPropagation();
  },
  { capture: true },
);
