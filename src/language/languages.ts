import { wordSet } from './word-set.ts';

/** Languages that people speak, lower case. */
export const LANGUAGES: ReadonlySet<string> = wordSet(`
  english german french spanish italian portuguese dutch swedish norwegian danish finnish icelandic polish czech slovak
  hungarian romanian bulgarian serbian croatian bosnian slovenian albanian macedonian greek turkish russian ukrainian
  belarusian lithuanian latvian estonian irish gaelic welsh catalan basque galician maltese arabic hebrew persian farsi dari
  pashto kurdish armenian georgian azeri uzbek kazakh hindi urdu punjabi bengali gujarati marathi tamil telugu kannada
  malayalam nepali sinhala chinese mandarin cantonese japanese korean vietnamese thai lao khmer burmese malay indonesian
  tagalog filipino javanese swahili amharic somali hausa yoruba igbo zulu xhosa afrikaans twi esperanto latin creole
  swissgerman luxembourgish yiddish hokkien`);
