const DAY_MS = 86_400_000;

/**
 * The time between two moments that lies on bank days, in milliseconds. Bank days are those of TARGET, on which banks
 * settle euros: no weekends, New Year, Good Friday, Easter Monday, 1 May, 25 and 26 December. By UTC.
 */
export function timeOnBankDays(from: Date, to: Date): number {
  let passed = 0;
  let at = from.getTime();
  while (at < to.getTime()) {
    const midnight = Math.floor(at / DAY_MS) * DAY_MS;
    const until = Math.min(midnight + DAY_MS, to.getTime());
    if (isBankDay(new Date(midnight))) passed += until - at;
    at = until;
  }
  return passed;
}

/** Month and day of the holidays that have a date. */
const FIXED = ['01-01', '05-01', '12-25', '12-26'];

function isBankDay(day: Date): boolean {
  if (day.getUTCDay() === 0 || day.getUTCDay() === 6) return false;
  if (FIXED.includes(day.toISOString().slice(5, 10))) return false;
  const fromEaster = (day.getTime() - easterSunday(day.getUTCFullYear())) / DAY_MS;
  return fromEaster !== -2 && fromEaster !== 1;
}

/** Easter Sunday, by the algorithm of Meeus, Jones and Butcher. */
function easterSunday(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const moon = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - moon - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * moon + 22 * weekday) / 451);
  const sum = moon + weekday - 7 * late + 114;
  return Date.UTC(year, Math.floor(sum / 31) - 1, (sum % 31) + 1);
}
