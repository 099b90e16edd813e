// Of these there are many, and each has a key of its own: the value says which.
const MANY = /^(allergy|health_condition|medication)_.+$/;

/** "home_city" → "Home city", "allergy_penicillin" → "Allergy". */
export function factLabel(key: string): string {
  const words = key.replace(MANY, '$1').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
