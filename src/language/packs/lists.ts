/** Names that are the same in many languages. Lists of packs may include them. */

export const CARS =
  'toyota|honda|ford|hyundai|kia|nissan|mazda|subaru|suzuki|mitsubishi|volkswagen|vw|audi|bmw|mercedes|skoda|škoda|seat|opel|vauxhall|renault|peugeot|citro[eë]n|fiat|dacia|volvo|tesla|jeep|chevrolet|chevy|dodge|lexus|porsche|mini cooper|land rover|range rover|byd|tata nexon|maruti|mahindra|hilux|corolla|camry|yaris|prius|rav4|noah|tacoma|tundra|land cruiser|previa|civic|accord|cr-v|hr-v|jazz|f-?150|focus|fiesta|mondeo|transit|ranger|mustang|golf|polo|passat|tiguan|touran|caddy|transporter|octavia|fabia|superb|astra|corsa|zafira|clio|megane|twingo|kangoo|208|308|berlingo|panda|punto|500l|duster|sandero|swift|vitara|jimny|tiida|micra|qashqai|leaf|navara|outback|forester|impreza|cx-5|sportage|picanto|tucson|i10|i20|i30|ioniq|model [3sxy]|silverado|wrangler|corvette';

export const BIKES =
  'giant|trek|specialized|cannondale|canyon|scott|cube|gazelle|batavus|bianchi|brompton|cowboy|vanmoof|surly|kona|merida|orbea|ktm|kawasaki|yamaha|ducati|triumph|harley|vespa';

export const PHONES =
  'iphone(?: (?:\\d+|se|x[rs]?)(?: (?:pro max|pro|plus|mini|max))?)?|(?:google )?pixel(?: \\d+a?)?(?: pro)?|(?:samsung )?galaxy(?: [a-z]?\\d+\\+?)?(?: ultra)?|samsung(?: [a-z]?\\d+)?|redmi(?: note)?(?: \\d+)?|xiaomi(?: \\d+)?|huawei(?: p?\\d+)?|nokia(?: \\d+)?|motorola|oneplus(?: \\d+)?|fairphone(?: \\d)?';

/** Medicines by name or by the endings that their names have. */
export const DRUGS =
  'insulin[ae]?|insuline?|warfarine?a?|aspirine?a?|paracetamol|acetaminophen|ibuprofen[oe]?|ibuprof[eè]ne|ibu|diclofenac|ketoprofen|naproxen|difene|metformine?a?|thyroxine?|levothyroxine|l-thyroxin|euthyrox|prednison[ea]?|prednisolone?|cortisone?|lithium|heparin|eliquis|xarelto|clexane|ozempic|mounjaro|wegovy|methotrexate|ventolin|salbutamol|foster|symbicort|ritalin|concerta|adderall|elvanse|prozac|zoloft|sertralin[ea]?|lexapro|citalopram|xanax|lorazepam|diazepam|tramadol|novalgin|metamizol|codeine?|morphine?|amoxicillin[ea]?|penicillin|omeprazol[e]?|pantoprazol[e]?|ramipril|lisinopril|enalapril|amlodipine?|telmisartan|losartan|candesartan|valsartan|bisoprolol|metoprolol|atenolol|atorvastatine?|simvastatine?|rosuvastatine?|gabapentin|pregabalin|lyrica|donepezil|tamoxifen|letrozole|adalimumab|humira|melatonin[ea]?|cetirizine?|loratadine?|epipen|nicotine patches|beta[- ]blockers?|statins?|antidepressants?|blood thinners?|antihistamines?';
