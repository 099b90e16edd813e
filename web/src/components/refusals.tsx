/** Why something that a reader gave was not stored, for people. */
export const REFUSED_BECAUSE: Readonly<Record<string, string>> = {
  malformed: 'A field was missing or could not be read.',
  quote_not_found: 'The quoted words do not stand in the conversation.',
  not_the_users_own: 'The user did not say this in their own words: it was pasted, quoted, or said by somebody else.',
  instruction_from_outside: 'A tool or a document told its reader what to do.',
  recalled_text: 'The turn only repeats what memory had given out.',
  value_not_said: 'The value is in no turn.',
  says_more_than_quote: 'The sentence says more than its quote.',
  too_long: 'It is too long.',
  private: 'The privacy policy drops it.',
  forgotten: 'The user asked to forget it and has not said it again since.',
  outranked: 'Something of higher rank says otherwise.',
  excess: 'More statements than a stretch of this size can hold.',
  unknown_target: 'It names a known statement that is not there, or that it may not change.',
  repeated: 'It repeats what is in mind already.',
};
