'use strict';
/** Adds the reader's local time to each time of the page, which the server writes in UTC. Ages have none. */
function addLocalTimes() {
  for (const time of document.querySelectorAll('time[datetime]:not(.age, :has(.local))')) {
    const at = new Date(time.dateTime);
    const [day, clock] = new Date(at - at.getTimezoneOffset() * 60_000).toISOString().split('T');
    const local = document.createElement('span');
    local.className = 'local';
    local.textContent = `(${time.dateTime.startsWith(day) ? '' : `${day} `}${clock.slice(0, 5)} local time)`;
    time.append(' ', local);
  }
}
addLocalTimes();
