/** Explains to people why a statement was refused. */
export const REFUSED_BECAUSE: Readonly<Record<string, string>> = {
  malformed: 'A field was missing or could not be read.',
  quote_not_found: 'The quoted words are not in the conversation.',
  not_the_users_own: 'The user did not say this in their own words: it was pasted, quoted, or said by somebody else.',
  instruction_from_outside: 'A tool or a document contained instructions for its reader.',
  recalled_text: 'The turn only repeats text that memory had provided.',
  value_not_said: 'No turn contains the value.',
  says_more_than_quote: 'The sentence says more than its quote.',
  too_long: 'The statement is too long.',
  private: 'The privacy policy excludes it.',
  forgotten: 'The user asked to forget it and has not said it again since.',
  outranked: 'A statement of higher rank contradicts it.',
  excess: 'More statements were read than a text of this length can contain.',
  unknown_target: 'It refers to a known statement that does not exist or that it may not change.',
  needs_confirmation: 'Requests to forget are reported and not obeyed, as the application has configured it.',
  empty_reading: 'The model returned nothing for this text, so a fact that was read before it stays.',
  repeated: 'It repeats what the documents already say.',
};

/** "value not said", or "not the user’s own": the names of reasons have no apostrophes. */
export function refusalName(reason: string): string {
  return reason.replaceAll('_', ' ').replace('users own', 'user’s own');
}
