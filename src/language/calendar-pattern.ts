/** A month, long or short, for a pattern that ignores case. */
export const MONTH: string =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
/** A day of the week, written out, for a pattern that ignores case. */
export const WEEKDAY: string = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
