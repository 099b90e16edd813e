import { BIKES, CARS, DRUGS, forgetRequests, type Pack, PHONES, slot, relations } from './pack.ts';
import WORDS from './words.json' with { type: 'json' };

/** Words for the store of the assistant: "tes fiches". */
const MEMORY =
  "(?:(?:t(?:a|es|on)|vo(?:tre|s)|la) (?:mémoire|notes|données|base|dossiers?|tête|fiches?|carnet|registres?|historique|archives|profil|système|cerveau)|m(?:a|on) (?:fiche|profil|dossier|historique)|l'historique)";
/** Clauses in which the user refers to earlier statements: "que je t'ai donné". */
const TOLD = '(?:dite?s?|donnée?s?|racontée?s?|écrite?s?|filée?s?|envoyée?s?|collée?s?|confiée?s?|mise?s?|parlé)';

/** Objects of a verb of removing in work on texts, lists, tables, calendars and code. */
const WORKS =
  '(?:derni(?:er|ère)|lignes?|phrases?|paragraphes?|fichiers?|colonnes?|cellules?|alarmes?|rappels?|évènements?|événements?|réunions?|tâches?|branches?|commits?|fonctions?|variables?|photos?|chansons?|virgules?|mots?(?! de passe)|émojis?|emojis?|logos?|fonds?|applis?|applications?|filtres?|points?|diapos?|hashtags?|formules?)';
const WORK_PLACES =
  '(?:liste|calendrier|agenda|tableau|feuille|lettre|texte|code|annonce|cv|menu|panier|excel|présentation|brouillon|script|recette|message|groupe|ordinateur|rapport|playlist|courses|dossier)';

export const french: Pack = {
  language: 'fr',
  script: 'latin',
  common:
    "le|la|les|de|des|du|et|est|un|une|je|j'ai|tu|il|elle|nous|vous|ils|que|qui|pas|ne|n'est|c'est|ce|cette|dans|pour|sur|avec|mon|ma|mes|au|aux|en|mais|ou|où|si|oui|non|plus|très|tout|bien|merci|bonjour|suis|ai|as|a|sont|était|fait|faire|peux|peut|veux|chez|aussi|comme|quand|parce|d'un|d'une|l'ai|qu'il|j'en|y|à|par|son|sa|ses|leur|on|moi|toi|ça|pis|ben|là|j'habite|travaille|m'appelle|ans|femme|mari|sœur|frère|mère|père|souviens|oublie|toujours|jamais|maintenant|chez|encore|été|être|avoir|fois|deux",
  words: {
    me: "je|j'|j'ai|j'avais|me|m'|moi",
    my: 'mon|ma|mes',
    we: 'nous|on|notre|nos',
    you: 'tu|te|toi|ton|ta|tes|vous|votre|vos',
    they: 'il|elle|ils|elles|lui|leur|leurs|son|sa|ses',
    question:
      "qui|que|quoi|où|quand|comment|pourquoi|quel|quelle|quels|quelles|combien|est-ce|qu'est-ce|peux-tu|pouvez-vous|dois-je|y a-t-il",
    ask: "peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|s'il te plaît|s'il vous plaît|stp|svp|aide-moi|aidez-moi|donne-moi|donnez-moi|dis-moi|dites-moi|écris|écrivez|fais|faites|cherche|cherchez|explique|traduis|traduisez|résume|résumez|corrige|calcule|mets|mettez|ajoute|ajoutez|envoie|montre|j'ai besoin|il me faut|rédige",
    greeting:
      'bonjour|bonsoir|salut|coucou|allô|merci|merci beaucoup|au revoir|à bientôt|à demain|bonne nuit|bonne journée|pardon|désolée?',
    assent:
      "ok|d'accord|oui|ouais|non|nan|parfait|super|bien|très bien|exact|voilà|entendu|ça marche|volontiers|justement|bon|correct",
    hedge:
      "peut-être|sans doute|probablement|je crois|je pense|je suppose|pas sûre?|éventuellement|il paraît|apparemment|j'espère|ou quelque chose",
    if: "si je|si j'|si j'avais|si j'étais|serais|serait|aurais|aurait|voudrais|voudrait|pourrais|imagine|imaginez|imaginons|suppose que|supposons|mettons|mettez que|admettons|disons que|faisons comme|au cas où|comme si",
    not: "ne|n'|pas|jamais|rien|aucune?|sans|ni|personne",
    past: "étais|était|avais|avait|ai été|hier|avant-hier|la semaine dernière|le mois dernier|l'an dernier|l'année dernière|il y a|j'ai \\p{L}+é|a \\p{L}+é|\\p{L}{3,}ée?s?|depuis",
    future:
      'vais|allons|va|demain|après-demain|prochaine?|bientôt|je compte|prévois|à partir de|dès|\\p{L}{3,}rai|\\p{L}{3,}rons',
    habit:
      "toujours|jamais|chaque|tous les|toutes les|d'habitude|souvent|parfois|régulièrement|le (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?= (?:et|matin|soir|je|on|nous)|[.,]|$)|quotidien|le matin|le soir|fois par|en général|hebdomadaire",
    change:
      'maintenant|ne plus|plus de|au lieu de|changé|déménagé|nouveau|nouvelle|commencé|arrêté|quitté|démissionné|vendu|de nouveau|depuis|enfin|désormais|devenue?|astheure|finie?|séparés?',
    taste:
      "j'aime|j'adore|je déteste|je préfère|préférée?s?|favorie?|je n'aime pas|je supporte pas|allergique|allergie|fan de|me manque|horreur",
    decision:
      "décidé|choisi|signé|réservé|accepté|refusé|annulé|commandé|j'ai dit (?:oui|non)|je prends|on prend|c'est décidé|inscrite?|opté",
    feeling:
      'fatiguée?|heureuse|heureux|triste|fâchée?|inquiète|inquiet|peur|nerveuse|nerveux|stressée?|épuisée?|fière|seule?|malade|mal|douleur|content|contente',
    joke: 'haha+|hihi|lol|mdr|ptdr|blague|je plaisante|farce',
    kidding: "je plaisante|c'est une blague|je rigole|c't'une farce|c'est pour rire",
    said: 'dit|disait|dis(?:ent)?|raconte|raconté|selon|écrit|écrivait|prétend|demande|pense que|trouve que',
    over: "avant|autrefois|étais|était|avais|avait|quand j'étais|enfant|ex|feu|défunte?|à l'époque|dans le temps|ai été|arrêté|quitté|démissionné|vendu",
    ended: "suis plus|ne \\S+ plus|n'\\S+ plus|plus du tout",
    passing:
      "aujourd'hui|ce (?:soir|matin|week-end|weekend)|cet après-midi|cette semaine|en ce moment même|dans le jeu",
    confirms:
      "oui(?! mais)|ouais|exact|exactement|c'est (?:ça|exact|vrai|juste|bien ça)|tout à fait|parfait|super|correct|effectivement|bonne mémoire|tu t'en souviens",
    corrects:
      "non(?! (?:merci|pas de souci|t'inquiète))|faux|pas (?:vraiment|tout à fait|exactement|du tout)|c'est (?:faux|inexact|pas (?:vrai|ça|exact))|ce n'est (?:pas|plus)|c'était avant|en fait|en réalité|tu te trompes|vous vous trompez|je (?:ne |n')\\S+ plus",
  },
  questions: {
    stop: 'le|la|les|un|une|des|et|ou|est|sont|je|tu|il|elle|nous|vous|mon|ma|mes|ton|ta|qui|que|quoi|quand|comment|pourquoi|quel|quelle|de|du|au|aux|en|dans',
    now: 'maintenant|actuellement|actuel(?:le)?',
    past: "avant|d'abord|auparavant|au début|initialement",
    several: 'quels?|quelles?|tous|toutes|combien',
    changes: "changé|nouveau|neuf|passé|arrivé|depuis|s'est",
    when: 'quand',
    howMany: 'combien',
    stillKnown:
      "^(?:est-ce que )?(?:tu te (?:souviens|rappelles)|te (?:souviens|rappelles)-tu|vous vous (?:souvenez|rappelez)|vous (?:souvenez|rappelez)-vous|(?:as-tu|tu as|avez-vous|vous avez) (?:déjà |bien |vraiment )?oublié|(?:sais-tu|tu sais|savez-vous|vous savez) encore)(?!(?: encore)? (?:que(?!\\p{L})|qu'))",
  },
  requests: {
    drop: `(?:peux|pouvez|pourrais|pourriez)(?:-tu|-vous)? (?:\\S+ ){0,3}?(?:te débarrasser|vous débarrasser|tirer un trait|faire une croix|faire l'impasse)|tir(?:e|er|ez) un trait|(?:fais|faites|faire) (?:disparaître|sauter|le ménage|une croix)|(?:effac|supprim|oubli|enlèv|retir|vir)(?:ant|erais|erait)|nettoi(?:e|es|ez)|nettoyer|écras(?:e|er|ez)|(?:plus|pas) besoin (?:de |d'|que )((?:\\S+ ){0,4}?)(?:garder|savoir|retenir|conserver|avoir|gardes|saches)|l'(?:enlever|effacer|oublier|ôter|éliminer)|l[ea]s? (?:supprimer|retirer|virer|jeter)|(?:supprime|efface|oublie|enlève|enleve|vire|retire|jette)[ -](?:l[ea]s?|ça|moi ça)(?= *(?:[.,!?]|$|stp|svp|s'il|merci))|(?:peut|peuvent|doit|doivent) être (?:effacée?s?|supprimée?s?|oubliée?s?|retirée?s?)|(?:oubli|effac|supprim|enl[eè]v|retir|vir|jett?|dégag|ôt|ray|élimin|ignor|balanc|zapp|jart|purg|gomm|biff|annul)(?:e|ez|er|es|ons|iez)(?:-(?:moi-)?(?:l[ea]s?|ça|en|moi))?|détrui(?:s|sez|re)(?:-l[ea]s?)?|poubelle|corbeille|débarrass(?:e|ez|er)(?:-t'en|-vous en)?|(?:te|t'en|vous|vous en) défaire|f(?:ais|aites|aire)(?:-l[ea]s?)? disparaître|pass(?:e|es|er|ez)(?:-l[ea]s?)? à la trappe`,
    keep: `(?:l')?(?:aies|ayez|as|avez|avoir) (?:\\S+ )?(?:en|dans (?:ta|votre|la)) (?:mémoire|tête)|(?:le|la|les|en) (?:garder|retenir|noter)|mettre (?:\\S+ )?en mémoire|mets (?:\\S+ )?en mémoire|retiennes|saches|gard(?:e|es|ez|er|ée?s?|iez)|conserv(?:e|es|ez|er|ée?s?|iez)|reten(?:ir|ez|iez)|retien(?:s|nes|ne)|not(?:e|es|ez|er|ée?s?)|enregistr(?:e|es|ez|er|ée?s?|iez)|mémoris(?:e|es|ez|er|ée?s?)|souven(?:ir|ez|iez)|souvien(?:s|nes)|rappel(?:er|lez)|rappell(?:e|es)|stock(?:e|es|ez|er|ée?s?)|sauvegard(?:e|er|ée?s?)|archiv(?:e|es|ez|er|ée?s?)|consign(?:e|es|ez|er|ée?s?)|écris|saches|sachiez|rest(?:e|er) (?:écrit|noté|enregistré|trace|chez toi|chez vous|avec toi)\\p{L}*|traîn(?:e|er) chez (?:toi|vous)|trace|dans ${MEMORY}`,
    not: 'arrêt(?:e|es|er|ez) de|évite(?:r|z)? de|ni|pas|plus|jamais|nulle part|rien|ni|sans|aucun|aucune',
    unsaid:
      "(?:je )?(?:(?:ne )?veux|voudrais|souhaite|aimerais)(?: \\S+){0,2}? (?:pas|plus|mieux|autant)(?: trop)? que ((?:\\S+ ){0,6}?)(?:figure|traîne|ressorte|saches|sachiez|gardes|gardiez|retiennes|(?:reste|soit|apparaisse) (?:ici|là|dans (?:ta|votre|la) mémoire|en mémoire|quelque part|enregistrée?|notée?|stockée?)|reste(?= *(?:[.,!]|$)))|(?:j'aimerais|je voudrais|je préfère|je préférerais|je souhaite|ce serait bien|ça m'arrangerait)(?: \\S+){0,2}? que ((?:\\S+ ){0,8}?)(?:ne |n')(?:\\S+ )?(?:figure|traîne|ressorte|saches|sachiez|gardes|aies|ayez|reste|soit)\\p{L}* (?:plus rien|pas|plus|rien|nulle part)(?: (?:ici|là|en mémoire|enregistrée?|notée?|stockée?|dans (?:ta|votre|la) mémoire))?(?= *(?:[.,!]|$))|(?:j'aimerais|je voudrais|je préfère|je préférerais|je souhaite) que ((?:\\S+ ){0,6}?)(?:s'efface|soit (?:effacé|supprimé|oublié)\\p{L}*)|que tu ne l'aies plus|(?:que )?je ne (?:le|la|les) (?:veux|voudrais) plus (?:dans|en|chez)|on (?:oublie|efface|supprime|enlève|n'en parle plus)(?= *(?:[.,!?]|$|tout|ça))|que (?:ça|cela|ce) ne (?:reste|soit|figure|traîne|ressorte) (?:pas|nulle part|plus)|que (?:ça|cela) ressorte|(?:ça|cela) ne reste pas|(?:fais|faites|faire) (?:comme si|genre|semblant)|comme si (?:je n'|je |on n'|rien)(?=(?:\\S+ ){0,4}?(?:dite?|parlé|raconté|écrit|mentionné|n'était)(?![\\p{L}]))|j'aurais pas dû|je n'aurais pas dû|j'ai rien dit|je n'ai rien dit|tu n'as rien (?:vu|lu|entendu)|t'as rien (?:vu|lu|entendu)|(?:tu n'as|t'as|vous n'avez) jamais (?:rien )?(?:vu|lu|entendu|su|eu vent)|(?:tu|vous) ne (?:sais|savez) rien de tout ça|je (?:ne )?t'ai (?:jamais )?rien dit|(?:ça|cela) meurt ici",
    all: "(?:le|ce) sujet|rien|(?:l'|cette |toute l'|toute cette )(?:histoire|affaire)|là-dessus|à ce sujet|tout|toute|tous|toutes|les trucs",
    polite: "s'il te plaît|s'il vous plaît|stp|svp|merci|tu|vous|te|(?:peux|pouvez|pourrais|pourriez|auriez)",
    remember:
      "souviens-toi|souvenez-vous|retiens|retenez|rappelle-toi|note(?:z)? (?:que|bien|ça|cela|-le)|n'oublie(?:z)? pas (?:que|de noter)|garde(?:z)? (?:en tête|à l'esprit|ça en mémoire)|pour info|pour ton information|sache(?:z)? que|mets ça de côté|inscris|inscrivez|à noter",
    ...forgetRequests({
      drop: "oublies|oubliiez|effaces|effaciez|supprimes|supprimiez|zappe|zappez|zapper|purge|purgez|purger|détruis|détruisez|détruire|ôte|ôtez|éliminer?|éliminez|jarte|d'oublier|d'effacer|d'enlever|oublie|oubliez|oublier|efface|effacez|effacer|supprime|supprimez|supprimer|enlève|enlevez|enlever|retire|retirez|retirer|raye|vire|virez|virer|laisse tomber",
      object: `(?:tout )?(?:ça|cela|ceci|tout|ce que|ce qui|mon|ma|mes|notre|nos)(?= (?!dernier|dernière|texte|message|fichier)| *[.!,;?]|$)|(?:le fait|où|comment|qui|quand|combien|que)(?= (?:que |je |j'|mon |ma |mes |c'est ))|(?:le nom|la partie|l'info|l'information|les infos|ce truc|cette histoire|l'histoire) (?:de|du|des|sur)|-(?:le|la|les)|(?:le|la|les|l'|ce|cette|ces)(?: ?)(?!texte|message|liste|fichier|phrase|paragraphe|colonne|ligne|tableau|photo|image)(\\p{L}+(?: \\p{L}+){0,3}?) que (?:je |j'|j)(?:t'|te |vous |l'|viens de (?:te |vous )?)?(?:ai )?${TOLD}|(?:ce|le|les|l'|cette) ?(?:trucs?|infos?|histoires?|détails?|sujet|mention|passage) (?:avec|sur|de|du|des|à)`,
      keepNot:
        "(?:tu n'as|vous n'avez|t'as|il n'y a|y a) pas besoin (?:de |d'|que (?:tu|vous) )(?:retenir|garder|noter|enregistrer|mémoriser|te souvenir|vous souvenir|conserver|retiennes|gardes|reteniez|gardiez)(?: de)?|(?:pas la peine|inutile|pas nécessaire|pas besoin) (?:de |d')(?:retenir|garder|noter|enregistrer|mémoriser|conserver)|(?:j'aimerais|je voudrais|je veux|je souhaite|je préfère|je préférerais) que (?:tu|vous) (?:oubli|effac|supprim|retir|enlev)\\p{L}+|(?:ne (?:le |la |les |l')?|n')?(?:garde|gardez|gardes|retiens|retenez|note|notez|enregistre|enregistrez|mémorise|mémorisez|conserve|conservez)(?: surtout)? pas(?: en mémoire)?(?: (?:ça|cela|ce que|mon|ma|mes|le fait|que|où))?|(?:je (?:ne )?veux pas|je préfère|j'aimerais mieux|je préférerais) que (?:tu|vous) (?:ne |n')?(?:\\S+ ){0,3}?(?:l'aies|l'ayez|gardes?|gardiez|saches?|sachiez|retiennes?|te souviennes?|notes?)(?: \\S+){0,2}",
      memory: `(?:de|dans) ${MEMORY}|en mémoire`,
      also: `(?:fais|faites|faisons) comme si (?:je|tu|vous) (?:ne |n')?(?:\\S+ ){0,4}?(?:jamais|rien|pas)|(?:vire|efface|supprime|oublie|enlève|retire|zappe|détruis|purge|jette|raye|brûle)z?-l[ea]s?(?= *(?:[.!,;?]|$| s'il| stp| svp| merci| de (?:ta|tes|votre|vos)| vite| tout de suite| maintenant| aussi))|vire-le|efface-l[ea]|supprime-l[ea]|oublie-le|hors de ${MEMORY}|(?:je )?(?:demande|sollicite|exige|réclame) (?:l'effacement|la suppression|le retrait) (?:de|du|des)|que ça reste entre nous|(?:sors|sortez|sortir|mets|mettez|sorte|saute|sortent)(?:-\\S+)? (?:(?!est|pas)\\S+ ){0,5}?(?:de|hors de) ${MEMORY}`,
      named:
        "(?:oublie|oubliez|oublier|efface|effacez|effacer|supprime|supprimez|supprimer|enlève|enlevez|enlever|retire|retirez|zappe|purge|vire|virez) (?:le|la|les|l'|cette|ce)",
    }),
    joins: 'et|ou|ni',
    another: 'mon|ma|mes|son|sa|ses|leurs?|notre|nos|ce que|où',
    but: 'mais',
    so: 'donc|du coup|alors',
    supposing: '(?<!mieux )(?<!bien )si(?! (?:tu (?:peux|pouvais)|vous pouvez|possible))',
    person: "(?:qu')?elle|lui|(?:qu')?il(?! (?:y|faut|fait|pleut|est (?:\\d|tard|tôt)))",
    own: "(?:je|on|nous) (?:devr\\p{L}+|dois|doit|vais|va|n'arrive pas à|ne peux pas|peux pas) (?:\\S+ ){0,1}|(?:je veux|je voudrais|j'aimerais) (?=(?:oublier|enlever|virer|jeter|retirer))",
    points: 'ça|cela|ce que|dernière?',
    it: 'le|la|les|ça',
    correcting: "(?:non|pardon|attends)[,.!]* +(?:c'est |je voulais dire )?|je voulais dire ",
    stays: 'peu(?:t|vent) rester|garde-l[ea]s?|tu peux garder',
    general: 'santé|finances',
    told: 'avoué|avouer|lâché|balancé|collé|envoyé|posté|tu (?:as|sais|gardes) (?:encore|toujours)|as-tu (?:encore|toujours)|dit|dire|raconté|raconter|parlé|parler|confié|confier|mentionné|mentionner|écrit|partagé|partager|évoqué|ce que tu sais',
    pointing:
      'blague|faux|fausse|vrai|mdr|lol|complètement|totalement|définitivement|sécurité|entier|entière|réglée?|fini|terminé|besoin|plus|ici|là|tout|toute|accord|derniers?|précédente?|texto|posté|trucs?|histoires?|détails?|sujet|passage|mention|infos?|éléments?|relative?|concernant|trace|fiches?|carnet|historique|dossier|profil|nulle|part|aucun|aucune|donnée?s?|confiée?s?|collée?s?|envoyée?s?|filée?s?|mise?s?|reste|rester|écrite?|jamais|besoin|utile|archiver|donc|alors|bon|oups|merde|dis|veux|bien|cas|moi|direct|vite|hein|choses|place|dire|dit|raconter|raconté|écrit|parlé|viens|venais|toute?|heure|instant|suite|maintenant|avant|mémoire|notes|nom|truc|chose|partie|fait|garder|gardes?|retenir|retiens|retiennes|noter?|enregistrer?|oublier?|oublie|effacer?|supprimer?|besoin|peine|préfère|préférerais|aimerais|voudrais|veux|merci|plaît|stp|svp|privé|dernière|dernier|phrase|message|aurais|aurait|dû|fallait|trucs',
    lead: "si oui|veuillez|merci|tu veux bien|s'il te plaît|s'il vous plaît|stp|svp|ah|oh|ok|bon|et|mais|non|attends|en fait|merci de|tu peux|vous pouvez|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|tu pourrais|vous pourriez|je veux que tu|il faut|(?:mon|ma|mes) (\\S+)|désolée?|dis|alors|donc|du coup|wsh|wesh|hé|hey|eh|merde|oups|je (?:voudrais|souhaite|préfère|préférerais) que (?:tu|vous)|j'aimerais que (?:tu|vous)|faut|faudrait|il faudrait|ça (?:te|vous) dérange(?:rait)?|est-ce que (?:tu peux|vous pouvez|tu pourrais)|pour (?:le|la|les|mon|ma) (\\S+)|mais toi tu|toi tu|tu|vous|tout de suite|si possible",
    notForget: `dis(?:-lui|-leur| à) |besoin de tout (?:retenir|noter)|laisse tomber,? oublie|n'oublie(?:z)? pas|j'ai oublié|j'oublie|tu as oublié|vous avez oublié|oublie pas|(?:effa[cç]|supprim|enl[eè]v|retir|vir|ray|zapp)\\p{L}* (?:l[ae]s?|l'|ce|cette|ces|une?|tous les|toutes les) ?${WORKS}|(?:effa[cç]|supprim|enl[eè]v|retir|vir|ray|zapp|sor[st])[\\p{L}-]* (?:\\S+ ){0,5}?(?:de|du|dans) (?:la |le |l'|mon |ma |cette |ce )?${WORK_PLACES}|(?:me|m'a|m'ont|lui|leur) (?:dit|dis|disent|répète|répètent|conseille)[^.]{0,20} oubli\\p{L}*`,
    takeBack:
      "(?:finalement|non|attends|tout compte fait)?[, ]{0,3}(?:garde(?:z)?-le|garde(?:z)?-la|garde(?:z)? (?:ça|cela)(?: finalement| quand même)?|tu peux (?:le|la) garder|ne (?:l'|le |la )(?:efface|oublie)(?:z)? pas)|(?:finalement|non|attends|en fait)[,. ]+(?:\\S+ ){0,3}?(?:garde|laisse|conserve)(?:z|s)?[- ](?:le|la|les|ça)|(?:garde|laisse)(?:z)?[- ](?:le|la|les) (?:finalement|quand même)",
    wish: "désormais|dorénavant|à partir de maintenant|à l'avenir|toujours (?:me |en )?(?:répond|écri|donn|mett)\\p{L}*|jamais de|plus jamais|pas d'anglicismes|ne (?:me )?(?:mets|mettez|dis|dites|donne|donnez|utilise|utilisez|parle|parlez) (?:pas|plus|jamais)|arrête(?:z)? de|tutoie(?:z)?|tutoyer|vouvoie(?:z)?|vouvoyer|appelle(?:z)?-moi|réponds(?:-moi)?|répondez|des phrases, s'il|des réponses|chaque fois que|quand je (?:te|vous) demande|avec moi|pas de (?:listes|petites listes|puces)|tu peux recommencer",
    reminder:
      'rappelle(?:z)?-moi|rappelle-le-moi|fais-moi penser|faites-moi penser|préviens-moi|prévenez-moi|réveille-moi|un rappel|mets une alarme',
    aboutText:
      "est-ce (?:que c'est )?(?:vrai|une arnaque|sérieux|normal|correct|légitime|un faux)|c'est (?:une arnaque|vrai|du phishing|un faux|sérieux)|que (?:veut dire|signifie)|qu'est-ce que (?:ça|cela) veut dire|résum\\p{L}+|tradui\\p{L}+|corrig\\p{L}+|reformul\\p{L}+|répond\\p{L}* à (?:ça|ce|cette|ceci)|que (?:dois-je )?répondre|regarde(?:z)? (?:ça|ce)|lis (?:ça|ce)|j'ai reçu|voici|on m'a (?:écrit|envoyé)|ce (?:mail|message|courriel|texte)|cette (?:lettre|annonce)|jeu de rôle|fais comme si|complète|relis(?:ez)?",
  },
  calendar: {
    months: [
      'janvier|janv',
      'février|fév',
      'mars',
      'avril|avr',
      'mai',
      'juin',
      'juillet|juil',
      'août|aout',
      'septembre|sept',
      'octobre|oct',
      'novembre|nov',
      'décembre|déc',
    ],
    weekdays: ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'],
    days: [
      ['avant-hier', -2],
      ['hier(?: (?:matin|soir))?', -1],
      ["aujourd'hui", 0],
      ['après-demain', 2],
      ['demain(?: (?:matin|soir))?', 1],
    ],
    spans: [
      ['la semaine dernière', 'week', -1],
      ['la semaine prochaine', 'week', 1],
      ['cette semaine', 'week', 0],
      ['le mois dernier', 'month', -1],
      ['le mois prochain', 'month', 1],
      ["l'(?:an|année) derni(?:er|ère)", 'year', -1],
      ["l'(?:an|année) prochaine?", 'year', 1],
    ],
    ago: 'il y a <n> <unit>',
    ahead: 'dans <n> <unit>',
    units: { day: 'jours?', week: 'semaines?', month: 'mois', year: 'ans?|années?' },
    numbers: { un: 1, une: 1, deux: 2, trois: 3, quatre: 4, cinq: 5, six: 6, sept: 7, huit: 8, neuf: 9, dix: 10 },
    dates: [
      '(?:le )?<d>(?:er)? <m>(?: <y>)?',
      '(?:le )?<d>/<mm>(?:/<y>)?',
      '(?:en|depuis|fin|début|mi-|à partir de|dès) ?<m>(?: <y>)?',
    ],
    nextWeekday: '<w> prochain',
    lastWeekday: '<w> dernier',
    weekday: "(?:ce |d'ici |pour |avant )<w>",
    written: '{d} {month} {y}',
    from: 'à partir du|à partir de|à compter du|à compter de|dès|dès le',
    until: "jusqu'au|jusqu'en|jusqu'à|avant",
  },
  my: 'mon|ma|mes|notre',
  i: "je|j'|on|nous",
  iAm: 'je suis|on est|nous sommes|suis',
  is: ' est',
  relations: relations({
    mother: 'mère|maman',
    father: 'père|papa',
    sister: 'sœur|soeur',
    brother: 'frère',
    son: 'fils',
    daughter: 'fille',
    wife: 'femme|épouse',
    husband: 'mari',
    partner: 'conjoint|conjointe|compagnon|compagne',
    girlfriend: 'copine|blonde',
    boyfriend: 'copain|chum',
    grandmother: 'grand-mère',
    grandfather: 'grand-père',
    grandson: 'petit-fils',
    granddaughter: 'petite-fille',
    aunt: 'tante',
    uncle: 'oncle',
    cousin: 'cousin|cousine',
    niece: 'nièce',
    nephew: 'neveu',
    friend: 'ami|amie',
    boss: 'patron|patronne',
    colleague: 'collègue',
    neighbour: 'voisin|voisine',
    'mother-in-law': 'belle-mère',
    'father-in-law': 'beau-père',
    'daughter-in-law': 'belle-fille',
    'brother-in-law': 'beau-frère',
    'sister-in-law': 'belle-sœur',
    'business partner': 'associé|associée',
    dog: 'chien|chienne',
    cat: 'chat|chatte',
  }),
  partners: 'femme|épouse|mari|conjointe?|compagnon|compagne|copine|copain|fiancée?',
  pets: 'chien|chienne|chat|chatte|lapin|perroquet|cheval|tortue|chiot|chaton',
  children: 'fils|fille|aînée?|cadette?|bébé|petite?',
  lists: {
    ...WORDS.fr,
    car: `(?:${CARS})(?: (?:${CARS}))?(?: (?:hybride|diesel))?(?: (?:19|20)\\d\\d)?`,
    bike: `(?:${BIKES}) [a-z0-9-]+`,
    phone_model: PHONES,
    drug: `(?:${DRUGS}|doliprane|[a-zé]{2,16}(?:pril|sartan|statine|olol|prazole|cilline|formine|dipine|xaban)|gouttes)(?: ?\\d+(?: ?mg)?)?`,
  },
  slots: [
    // What has ended, with its value.
    ...slot(
      'employer',
      [
        "(?:j'ai démissionné|je me suis fait virer|j'ai été (?:virée?|licenciée?)) (?:de chez|de|par|chez) (?!(?:mon|ma|la|le|l'|un|une)(?![\\p{L}]))<org>",
        "j'ai (?:quitté|perdu) mon (?:travail|poste|boulot|job|emploi) chez <org>",
      ],
      { denied: true },
    ),
    ...slot(
      'partner_name',
      [
        "(?<!(?:mon|ma|le|la|quand|si) )(?!(?:elle|lui|toi|vous|maman|papa)(?![\\p{L}]))(?<v>\\p{L}[\\p{L}-]+) et moi,? (?:on s'est (?:\\p{L}+ )?séparée?s|on a rompu|nous sommes séparée?s|nous nous sommes séparée?s|avons rompu|on a divorcé|c'est fini)",
        "j'ai (?:rompu avec|largué|plaqué) (?!(?:mon|ma|mes|le|la|les|un|une|tout)(?![\\p{L}]))(?<v>\\p{L}[\\p{L}-]+)(?= *(?:[.,;:!(]|$))",
        "(?<!(?:mon|ma|le|la|quand|si) )(?!(?:il|elle|on|qui|ça)(?![\\p{L}]))(?<v>\\p{L}[\\p{L}-]+) m'a (?:quittée?|larguée?|plaquée?)(?= *(?:[.,;:!(]|$))",
      ],
      { denied: true },
    ),
    ...slot(
      'pet_name',
      [
        "(?:on a|j'ai) dû (?:faire )?(?:euthanasier|piquer) (?!(?:mon|ma|notre|le|la|un|une)(?![\\p{L}]))(?<v>\\p{L}[\\p{L}-]+)",
        '(?:mon|ma|notre) (?:PETS) (?<v>\\p{L}[\\p{L}-]+) est (?:morte?|décédée?)',
      ],
      { denied: true },
    ),
    ...slot(
      'allergy',
      [
        "je (?:ne )?suis (?:finalement |en fait )?(?:pas|plus|pas du tout) (?:du tout )?allergique (?:aux|au|à la|à l'|à) ?<words>",
      ],
      { denied: true },
    ),
    ...slot('name', [
      "je m'appelle <anyname>",
      'mon nom est <anyname>',
      "moi c'est <name>",
      '(?:^|[,;] )je suis <fullname>(?= *(?:,|[.!]|$))',
    ]),
    ...slot('preferred_name', ["(?:appelle-moi|appelez-moi|tout le monde m'appelle|on m'appelle) <name>"]),
    ...slot('birthday', [
      'mon anniversaire (?:est|tombe) (?:le )?<date>',
      'je suis née? le <date>',
      'anniversaire le <date>',
    ]),
    ...slot('age', ["j'ai <age> ans"]),
    ...slot('age', ['<related> (?:qui )?a <age> ans']),
    ...slot('home_city', [
      "(?:j'habite|je n'habite plus|je ne vis plus|je vis|on habite|nous habitons|on vit|je reste|je loge)(?: \\p{L}+)? [àa] <place>",
      '<related> (?:habite|vit)(?: \\p{L}+)? à <place>',
      "(?:j'ai|on a|nous avons) déménagé à <place>",
      'je me suis installée? à <place>',
      'chez (?:moi|nous),? à <place>',
      'ici,? à <place>',
    ]),
    ...slot(
      'home_city',
      [
        "je (?:déménage|m'installe|vais déménager|vais m'installer) à <place>",
        "<related> (?:déménage|s'installe) à <place>",
      ],
      { tense: 'planned' },
    ),
    ...slot('hometown', [
      'je suis née? à <place>',
      "j'ai grandi à <place>",
      'je (?:viens|suis) de <place>(?= *(?:[.,!]|$))',
    ]),
    ...slot('address', ['mon adresse (?:est|:)(?: le| au)? <street>', "j'habite au <street>"]),
    ...slot('employer', [
      '(?:je travaille|je bosse|je ne travaille plus|je travaille plus)(?: \\p{L}+){0,2}? (?:chez|pour) <org>',
      '<related> travaille (?:chez|pour) <org>',
      'mon (?:patron|boulot|chef|travail) chez <org>',
      "j'ai commencé chez <org>",
      'je (?:travaillerai|serai) (?:chez|pour) <org>',
    ]),
    ...slot('employer', ['je (?:commence|débute)(?: \\S+){0,4}? chez <org>'], { tense: 'planned' }),
    ...slot('job_title', [
      '<whois> (?:une? )?<job>',
      '<related> est <job>',
      '(?:je travaille|je bosse) comme <job>',
      'je suis <job>',
    ]),
    ...slot('school', [
      "(?:j'étudie|je suis (?:étudiante?|inscrite?))(?: \\p{L}+){0,4}? (?:à l'|à la |au |à )<school>",
    ]),
    ...slot('partner_name', [
      "(?<!de )(?:mon|ma) (?:PARTNERS) (?:s'appelle|c'est) <name>",
      '(?:mon|ma) (?:PARTNERS),? <name>',
      "<name>,? (?:c'est |est )?(?:mon|ma) (?:PARTNERS)\\b",
    ]),
    ...slot('child_name', [
      "(?<!de )(?:mon|ma|notre) (?:CHILDREN)(?: aînée?)? s'appelle <name>",
      '(?:mon|ma|notre) (?:CHILDREN)(?: aînée?)?,? <name>',
    ]),
    ...slot('pet_name', [
      "(?<!de )(?:mon|ma|notre) (?:PETS) s'appelle <name>",
      '(?:mon|ma|notre) (?:PETS),? <name>',
      "j'ai une? (?:PETS)(?:,| qui s'appelle| nommée?)? <name>",
      "je l'ai (?:nommée?|appelée?) <name>",
      "c'est une? (?:PETS), <name>",
    ]),
    ...slot('car', [
      "(?:j'ai|je conduis|j'ai acheté|on a|je roule en)(?: une?| mon| ma)? <car>",
      '(?:ma|mon|notre) <car>',
    ]),
    ...slot('car', ["j'ai vendu (?:ma|mon|la) <car>"], { denied: true }),
    ...slot('phone_model', ["(?:j'ai|j'utilise) un <phone_model>", 'mon <phone_model>']),
    ...slot('diet', ['<whois> (?:plus )?<diet>']),
    ...slot(
      'diet',
      ['je (?:ne )?mange (?:pas|plus|jamais) de <meat>', '<related> (?:ne )?(?:mange|peut) pas (?:manger )?de <meat>'],
      { value: 'pas de {value}', firm: true },
    ),
    ...slot('allergy', [
      "<whois> allergique (?:aux|au|à la|à l'|à) ?<words>",
      "<related> est allergique (?:aux|au|à la|à l'|à) ?<words>",
      "j'ai une allergie (?:aux|au|à la|à) <words>",
    ]),
    ...slot('medical_condition', [
      "j'ai (?:le |la |l'|de l'|du |une? |des )?<condition>",
      '<related> a (?:le |la |du |une? )?<condition>',
      "on m'a diagnostiqué (?:un |une )?<condition>",
      '(?:mon|ma|mes) <condition>',
      '<whois> <being>',
    ]),
    ...slot('medical_condition', ['^<condition>(?= qu|[.,]|$)'], { alone: true }),
    ...slot('medication', [
      "je prends (?:du |de la |de l'|des )?<drug>",
      '(?:ma|mon|mes) <drug>',
      "on m'a (?:prescrit|donné) (?:du |de la |des )?<drug>",
    ]),
    ...slot('medication', ['^(?:des )?<drug>(?= (?:deux|une|trois|quatre) fois)'], { alone: true }),
    ...slot('blood_type', ['mon groupe sanguin est <bloodType>']),
    ...slot('language', ['je parle(?: \\p{L}+)? <language>', "ma langue maternelle est (?:le |l')<language>"]),
    ...slot('hobby', [
      "mon (?:hobby|passe-temps) (?:est|c'est) (?:le |la |l')?<words>",
      "(?:j'aime|j'adore|je fais|je pratique)(?: du| de la| de l'| le| la| l'| les)? ?<activity>",
      'je joue aux <game>',
      'je chante (?:dans|chez|au|à)(?: le| la| un| une| les)? ?<club>',
    ]),
    ...slot('sport', ['je (?:joue au|fais du|joue à la) <sport>']),
    ...slot('instrument', ["je joue (?:de la |du |de l'|de )<instrument>"]),
    ...slot('favourite_food', ["mon plat préféré (?:est|c'est) <words>"]),
    ...slot('favourite_colour', ["ma couleur préférée (?:est|c'est) <words>"]),
    ...slot('salary', ['je gagne <money>', 'mon salaire est (?:de )?<money>']),
    ...slot('rent', ['(?:je paie|on paie|je paye) <money> de loyer', '(?:mon|le) loyer est (?:de )?<money>']),
    ...slot(
      'budget',
      [
        "(?:mon|le|notre) budget (?:est|c'est) (?:de )?<money>",
        '<money> (?:maximum|max)\\b',
        '(?:pas plus de|maximum) <money>',
      ],
      { firm: true },
    ),
    ...slot('working_hours', [
      'je travaille(?: \\p{L}+)? (?:de )?<hours>',
      'je travaille (?<v>de nuit|à mi-temps|à temps partiel)',
    ]),
    ...slot('email', ["mon (?:mail|e-mail|courriel|adresse mail)(?: est|,? c'est|:|,)? <email>"]),
    ...slot('phone_number', ['mon (?:numéro|téléphone|portable)(?: est|:|,)? (?:le )?<phone>']),
    ...slot('relationship_status', ['<whois> <status>(?! (?:à|avec|de))']),
    ...slot(
      'travel_destination',
      [
        '(?:je pars|on part|nous partons|je vais|on va|nous allons)(?: en \\p{L}+)? à <place>(?= (?:le|en|du|avec|pour) |[.,]|$)',
      ],
      { tense: 'planned' },
    ),
    ...slot(
      'appointment',
      ['{appointment}(?: \\S+){0,6}? (?:le )?<day>', '(?:le )?<day>(?: \\S+){0,4}? {appointment}'],
      { tense: 'planned' },
    ),
    ...slot(
      'answer_length',
      ['réponses <length>', '(?:réponds|répondez)(?: \\p{L}+){0,2}? <length>', '^oui, <length>'],
      { standing: true, firm: true },
    ),
    ...slot('answer_tone', ['(?<v>tutoyer|tutoiement|vouvoyer|vouvoiement)', '(?<v>tutoie)-moi'], {
      standing: true,
      firm: true,
    }),
    ...slot('answer_format', ["(?:pas de|sans|pas d') ?<format>"], {
      standing: true,
      firm: true,
      value: 'sans {value}',
    }),
    ...slot('answer_format', ["des <format>,? s'il"], { standing: true, firm: true }),
    ...slot(
      'answer_language',
      ['(?:réponds|répondez|écris|écrivez|parle|parlez)(?:-moi)?(?: \\p{L}+)? en <language>'],
      { standing: true, firm: true },
    ),
    ...slot(
      'job_title',
      [
        "(?:je suis|j'ai été|je bosse comme|je travaille comme|commence comme|comme|suis)(?: \\p{L}+)? <job>(?=[.,;]|$| (?:à|au|chez|depuis|pendant|dans|en)\\b)",
        '^(?:(?:comme|en tant que) )?(?=(?:[\\p{L}-]+ )?{job}(?:,| depuis| à| chez))<job>',
      ],
      { likely: 'alone' },
    ),
    ...slot('home_city', ["(?:j'habite|on habite|nous habitons|je vis|on vit)(?: \\p{L}+){0,3}? (?:[àa]|au) <place>"], {
      likely: 'alone',
    }),
    ...slot(
      'school',
      [
        "(?:je suis|jsuis|j'suis|suis|j'étudie)(?: [^.;]{0,40}?)[, ](?<v>(?:lycée|collège|fac|université) (?:de )?\\p{L}+(?: \\p{L}+)?)(?=[.,]|$)",
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'employer',
      [
        "(?:je travaille|je bosse|j'ai commencé|je commence|je suis (?!(?:là|encore|déjà|maintenant|allée?|passée?|en|bien|restée?|toujours|rentrée?|arrivée?|actuellement|juste|pas|plus|tombée?|chez)(?![\\p{L}]))\\p{L}+)(?: \\p{L}+){0,3}? chez <org>",
      ],
      {
        likely: 'alone',
      },
    ),
    ...slot(
      'medical_condition',
      [
        "(?:j'ai|je souffre d[e']|on m'a trouvé|diagnostic ?:|résultat ?:)(?: [^.;]{0,16}?,)? ?(?:une |un |de l'|de la |d')?<condition>",
        '^(?:résultat|diagnostic) ?: ?(?:[^.;]{0,20}, )?(?<v>apnée(?: sévère| modérée)?|diabète|hypertension|anémie|asthme)',
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'sport',
      [
        "(?:je |j'|j)(?:re)?(?:joue|fais)(?: \\p{L}+){0,2}? (?:au |du |de la |à la )(?:<sport>)",
        "j(?:e |')?rejoue au (?<v>foot|rugby|basket|tennis|hand)(?![\\p{L}])",
        "^la (?<v>p[ée]tanque|natation|danse|chorale|gym|marche),? c'?est (?:le|tous)",
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'hobby',
      [
        'je chante (?:dans (?:une?|le|la)|chez (?:les )?|au) <words>',
        "(?:j'ai)(?: \\S+){0,3}? (?:de |un |mon |des )(?<v>potager|ruches|poules)(?![\\p{L}])",
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'working_hours',
      [
        'je (?:reprends|suis|travaille|bosse) à (?<v>\\d\\d ?%)',
        'je (?:travaille|bosse)(?: \\p{L}+){0,2}? (?:de )?<hours>',
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'rent',
      ['loyer(?: [^.;\\d]{0,20})? <money>', '(?:je paie|je paye|on paie) <money>(?: \\p{L}+)? de loyer'],
      { likely: 'alone' },
    ),
    ...slot('car', ["(?:j'ai|on a|je roule en|je conduis|avec) (?:une?|ma|mon|notre) <car>"], { likely: 'alone' }),
    ...slot('language', ["(?:je traduis|je parle|on (?:lui )?parle|on parle) (?:de l'|du |de |le |l')?<language>"], {
      likely: 'alone',
    }),
    ...slot('pet_name', ['(?:le|mon|notre|la|ma) (?:PETS)(?: (?!d[eu] |des )\\p{L}+){0,3}?, <name>,'], {
      likely: 'kept',
    }),
    ...slot('relationship_status', ['mon mari (?:\\p{L}+ )?est (?:mort|décédé)'], {
      likely: 'kept',
      value: 'veuve',
      firm: true,
    }),
    ...slot('relationship_status', ['ma femme (?:\\p{L}+ )?est (?:morte|décédée)'], {
      likely: 'kept',
      value: 'veuf',
      firm: true,
    }),
    ...slot('answer_length', ['(?<v>(?:une|deux|trois|quatre|\\d) (?:phrases?|lignes?) (?:max|maximum|au plus))'], {
      likely: 'alone',
    }),
    ...slot(
      'answer_format',
      [
        "(?:pas de|plus de|sans|jamais de|pas d') ?(?<v>listes(?: à puces| à points)?|tableaux|emojis|émojis|smileys|points d'exclamation)(?![\\p{L}])",
      ],
      { likely: 'alone', value: 'sans {value}', firm: true },
    ),
    // What has ended, without its value: these rules come after all that tell a value.
    ...slot(
      'employer',
      [
        "(?<!(?:quand|si|lorsque) )j'ai (?:quitté|perdu|lâché) mon (?:travail|boulot|emploi|job|taf)(?! (?:plus tôt|tôt|à \\d|en avance|en retard))(?![\\p{L}])",
        "(?<!(?:quand|si|lorsque) )j'ai démissionné(?= *(?:[.,;:!(]|$)| (?:hier|aujourd'hui|ce|cette|la semaine|le mois|de mon))",
        "(?<!(?:quand|si|lorsque) )(?:je me suis fait virer|j'ai été (?:virée?|licenciée?))(?= *(?:[.,;:!(]|$)| (?:hier|aujourd'hui|ce|cette|la semaine|le mois))",
        "j'ai pris ma retraite",
        'je suis (?:maintenant |désormais |enfin )?(?:au chômage|à la retraite|retraitée?)(?![\\p{L}])',
      ],
      { denied: true },
    ),
    ...slot(
      'partner_name',
      [
        "(?:mon|ma) (?:PARTNERS) et moi,? (?:on s'est (?:\\p{L}+ )?séparée?s|on a rompu|nous sommes séparée?s|nous nous sommes séparée?s|avons rompu|on a divorcé)",
        "(?:^|[,.;!] )(?:on s'est séparée?s|on a rompu|nous nous sommes séparée?s)(?= *(?:[.,;:!(]|$)| (?:hier|ce|cette|la semaine|le mois|il y a))",
        "(?:mon|ma) (?:PARTNERS) m'a (?:quittée?|larguée?|plaquée?)(?![\\p{L}])",
        "j'ai (?:rompu avec|largué|plaqué) (?:mon|ma) (?:PARTNERS)(?![\\p{L}])",
        'je suis (?:à nouveau|de nouveau|redevenue?) célibataire',
      ],
      { denied: true },
    ),
    ...slot(
      'car',
      ["(?<!(?:quand|si) )(?:j'ai|on a) vendu (?:ma|notre|la) (?:voiture|bagnole|caisse)(?![\\p{L}])(?! de )"],
      { denied: true },
    ),
    ...slot(
      'diet',
      ["je remange de la viande|je mange (?:de nouveau|à nouveau) de la viande|j'ai recommencé à manger de la viande"],
      { denied: true },
    ),
  ],
  answers: [
    ['name', "comment (?:t'appelles-tu|tu t'appelles|vous appelez-vous)|quel est (?:ton|votre) nom", '<fullname>'],
    ['age', 'quel âge', '<age>'],
    ['home_city', 'où (?:habites-tu|habitez-vous|vis-tu|vivez-vous)', '<place>'],
    ['job_title', 'que (?:fais-tu|faites-vous) dans la vie|quel est (?:ton|votre) métier', '<job>'],
    ['budget', 'budget', '<money>'],
    ['email', 'courriel|mail', '<email>'],
    ['phone_number', 'numéro', '<phone>'],
  ],
  topics: {
    name: "nom(?: de famille)?|prénom|comment je m'appelle",
    birthday: 'anniversaire|anniv|date de naissance|née? le|je suis née?',
    age: "âge|age|quel âge j'ai|j'ai \\d+ ans",
    home_city: "où j'habite|où je vis|ville|j'habite|habite",
    address: "adresse|rue|domicile|avenue|boulevard|où j'habite",
    employer: 'où je travaille|employeur|boîte|entreprise|travail|boulot',
    job_title: 'métier|profession|ce que je fais',
    salary: 'salaire|touche|paye|paie|ce que je gagne|combien je gagne|revenus?|gagne',
    working_hours: 'horaires?|heures de travail',
    school: 'école|collège|crèche|maternelle|fac|université|lycée',
    partner_name: 'mari|femme|copain|copine|conjointe?|compagne|compagnon|fiancée?',
    child_name: 'enfants?|fils|fille|bébé',
    pet_name: 'chien(?:ne)?|chat(?:te)?|animal',
    car: 'voiture|bagnole|plaque',
    rent: 'loyer',
    debt: 'dettes?|dois|doit|prêt|emprunt\\p{L}*|crédit|sous que je dois|argent que je dois',
    allergy: 'allergies?|allergique',
    medical_condition: 'santé|maladie|diagnostic|enceinte|grossesse|handicap',
    medication: 'médicaments?|traitement|cachets|pilules?',
    diet: 'régime|ce que je mange',
    religion: 'religion|foi|église|messe|croyances?',
    political_view: 'politiques?|opinions? politiques?|voté|vote|voter|parti|syndicat',
    hobby: 'loisirs?|passe-temps',
    appointment: 'rendez-vous|hôpital|médecin|thérapie',
    goal: 'objectifs?|projets?',
    manager: 'patronne?|cheffe?',
    email: '(?:adresse )?(?:e-?)?mail|(?:adresse )?[eé]lectronique|courriel',
    phone_number: '(?:num[eé]ro de )?(?:t[eé]l[eé]phone|portable|tel|tél)|num[eé]ro|06 \\d\\d|07 \\d\\d',
    breakup:
      'ex|ex-?(?:mari|femme|copain|copine|conjointe?)|séparée?s?|séparation|rupture|rompu|largué\\p{L}*|quittée?s?|divorc\\p{L}*',
    health: `santé|handicap\\p{L}*|séropositi\\p{L}+|alzheimer|parkinson|tension|anxio\\p{L}*|antidépresseurs?|maladies?|malade|diagnosti\\p{L}*|traitement|thérapie|thérapeute|psychiatre|psychologue|psy|dépression|déprim\\p{L}*|anxiété|crises? d'angoisse|burn-?out|bipolaire|tdah|diabète|diabétique|cancer|chimio|opéré\\p{L}*|opération|épilepsie|asthme|migraines?|lupus|vih|piqûres?|médicaments?|medocs?|médocs?|cachets|pilules?|fausse couche|addiction|cure|santé mentale|${DRUGS}`,
    leaving: 'entretien|cv|démission\\p{L}*|nouveau (?:boulot|poste|travail)|concurrent|postulé',
    bank: 'rib|iban|carte(?: bleue| bancaire)?|compte(?: bancaire)?|banque|coordonnées bancaires',
    identity: "numéro de sécu|passeport|carte d'identité",
    access: '(?:digi)?code|mots? de passe|mdp|pin',
  },
  notAnyMore: 'Ce n’est plus le cas',
  templates: {
    name: "S'appelle {value}",
    preferred_name: "Veut qu'on l'appelle {value}",
    birthday: 'Anniversaire le {value}',
    age: 'A {value} ans',
    home_city: 'Habite à {value}',
    hometown: 'Vient de {value}',
    address: 'Adresse : {value}',
    employer: 'Travaille chez {value}',
    job_title: 'Métier : {value}',
    school: 'Étudie à {value}',
    partner_name: 'Partenaire : {value}',
    child_name: 'Enfant : {value}',
    pet_name: 'Animal : {value}',
    car: 'Voiture : {value}',
    phone_model: 'Téléphone : {value}',
    diet: 'Régime : {value}',
    allergy: 'Allergie : {value}',
    medical_condition: 'A {value}',
    medication: 'Prend {value}',
    language: 'Parle {value}',
    hobby: 'Loisir : {value}',
    sport: 'Sport : {value}',
    instrument: 'Joue de {value}',
    salary: 'Gagne {value}',
    rent: 'Loyer : {value}',
    budget: 'Budget : {value}',
    working_hours: 'Horaires : {value}',
    relationship_status: 'Est {value}',
    travel_destination: 'Voyage à {value}',
    appointment: 'Rendez-vous : {value}',
    answer_length: 'Veut des réponses {value}',
    answer_tone: 'Ton voulu : {value}',
    answer_format: 'Forme voulue : {value}',
    answer_language: 'Veut des réponses en {value}',
  },
  dated: { asOf: 'au {day}', planned: 'prévu', plannedFor: 'prévu pour le {day}', until: 'jusqu’au {day}' },
  tried: {
    best: '« {theme} » a le mieux marché avec {name} : {first}, contre {others}.',
    counted: '« {theme} » : {all}.',
    mean: '{mean}[ {measure} en moyenne] dans {cases}',
    good: '{good} bons résultats sur {cases}',
    with: '{outcome} avec {name}',
    words: { case: 'cas', cases: 'cas', others: 'd’autres', and: ' et ', times: 'fois plus' },
  },
};
