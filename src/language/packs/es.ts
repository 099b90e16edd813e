import { BIKES, CARS, DRUGS, forgetRequests, type Pack, PHONES, slot, relations } from './pack.ts';
import WORDS from './words.json' with { type: 'json' };

/** Words for the store of the assistant: "tus apuntes". */
const MEMORY =
  '(?:(?:tus?|sus?|la) (?:memoria|registros?|notas|apuntes|fichas?|archivos?|historial|base(?: de datos)?|cabeza|recuerdos|cuaderno|libreta|expediente|perfil|sistema)|mi (?:ficha|perfil|historial|expediente))';
/** Pronouns behind an order: "bórratelo". */
const CLITICS = '(?:me|te|se)?(?:l[oa]s?)?';
/** Clauses in which the user refers to earlier statements: "que te di". */
const TOLD =
  '(?:di|dije|conté|pasé|mandé|puse|pegué|escribí|mencioné|comenté|nombré|solté|dicho|dado|contado|pasado|mandado|puesto|pegado|escrito|mencionado|comentado|soltado|hablé|hablado)';

/** Objects of a verb of removing in work on texts, lists, tables, calendars and code. */
const WORKS =
  '(?:últim[oa] (?:frase|línea|párrafo|fila)|línea|párrafo|frase|archivo|columna|fila|celda|alarma|recordatorio|evento|reunión|tarea|rama|commit|función|variable|foto|canción|pista|coma|tilde|palabra|emoji|logo|fondo|app|aplicación|carpeta|filtro|punto|ingrediente|diapositiva|slide|hashtag|saludo|despedida)(?:s|es)?';
const WORK_PLACES =
  '(?:lista|calendario|agenda|tabla|hoja|carta|texto|código|anuncio|cv|currículum|menú|carrito|excel|presentación|borrador|script|repo|receta|mensaje|grupo|ordenador|informe|playlist|carpeta)';

export const spanish: Pack = {
  language: 'es',
  script: 'latin',
  common:
    'el|la|los|las|de|que|y|en|un|una|es|no|se|lo|por|con|para|mi|me|te|yo|su|pero|más|mas|como|ya|si|sí|al|del|está|esta|este|esto|eso|muy|hay|tengo|tiene|soy|estoy|fue|era|ser|hacer|hace|cuando|porque|qué|todo|también|hoy|mañana|ayer|nada|bien|gracias|hola|vos|usted|tú|tu|le|les|nos|son|desde|hasta|sin|sobre|ese|esa|quiero|puedo|puede|voy|va|dale|bueno|vivo|trabajo|llamo|años|esposa|hermano|hermana|madre|padre|casa|recuerda|olvida|siempre|nunca|ahora|aquí|acá|solo|otra|otro|dos|así|entonces',
  words: {
    me: 'yo|me|mí|conmigo|soy|estoy|tengo|vivo|trabajo|quiero|voy|fui|hice|puedo|sé|creo|he',
    my: 'mi|mis|mío|mía',
    we: 'nosotros|nosotras|nos|nuestro|nuestra|nuestros|somos|estamos|tenemos|vamos',
    you: 'tú|tu|te|ti|vos|usted|contigo|tus|podés|puedes|sabés|sabes',
    they: 'él|ella|ellos|ellas|su|sus|le|les|lo|la',
    question:
      'qué|quién|quien|cómo|dónde|cuándo|por qué|cuál|cuánto|cuánta|cuántos|puedo|debería|hay|es cierto|sabés|sabes',
    ask: 'puedes|podés|podrías|puede|por favor|porfa|ayúdame|ayudame|dame|dime|decime|muéstrame|mostrame|escribe|escribí|escribime|haz|hacé|haceme|hazme|busca|buscá|explica|explicame|traduce|resume|revisa|calcula|pon|poné|agrega|agregale|cambia|manda|mandame|necesito un|necesito una|armame|pasame',
    greeting:
      'hola|buenas|buenos días|buen día|buenas tardes|buenas noches|adiós|chau|gracias|muchas gracias|hasta luego|hasta mañana|perdón|saludos|qué tal',
    assent:
      'ok|okey|sí|si|dale|claro|bueno|bien|perfecto|genial|exacto|no|listo|vale|de acuerdo|correcto|eso|ya|simón|buenísimo|joya',
    hedge:
      'quizá|quizás|tal vez|capaz|a lo mejor|probablemente|creo que|supongo|no estoy segur[oa]|puede ser|pensando en|supuestamente|ojalá|o algo así',
    if: 'si yo|si tuviera|si fuera|si pudiera|si me|si alguna vez|sería|tendría|me gustaría|imagina|imaginate|imagínate|sup[oó]n(?: que|te)|suponga(?:mos)?|pongamos|digamos que|pon que|haz de cuenta|hagamos de cuenta|casi (?:entro|empiezo|me)|ojalá|como si|iría',
    not: 'no|nunca|jamás|nada|ningún|ninguna|sin|tampoco|ni',
    past: 'fue|fui|era|estaba|tuve|tenía|hice|hizo|dijo|ayer|anteayer|la semana pasada|el mes pasado|el año pasado|hace|compré|vendí|encontré|me mudé|\\p{L}{3,}(?:é|ó|aron|ieron|aba|ía)',
    future:
      'voy a|vamos a|va a|mañana|pasado mañana|próxim[oa]|que viene|pronto|planeo|pienso|a partir de|empiezo|arranco|desde el',
    habit:
      'siempre|nunca|cada|todos los|todas las|normalmente|a veces|generalmente|los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)|diario|a diario|semanal|por las mañanas|por las noches|veces por|veces a la|suelo|de lunes a',
    change:
      'ahora|ya no|en vez de|cambié|cambió|me mudé|nuevo|nueva|empecé|empezó|dejé|dejó|renuncié|vendí|otra vez|de nuevo|desde|por fin|finalmente|se terminó|terminé|cortamos',
    taste:
      'me gusta|me gustan|me encanta|me encantan|odio|prefiero|favorit[oa]s?|amo|detesto|no soporto|alérgic[oa]|alergia|fan de|extraño|fanátic[oa]|me da asco',
    decision:
      'decidí|decidimos|elegí|elegimos|firmé|firmo|reservé|reservamos|acepté|rechacé|cancelé|contraté|compré|me quedo con|ya lo decidí|vamos con|quedamos en',
    feeling:
      'cansad[oa]|feliz|triste|enojad[oa]|preocupad[oa]|miedo|nervios[oa]|emocionad[oa]|estresad[oa]|agotad[oa]|orgullos[oa]|sol[oa]|hart[oa]|enferm[oa]|dolor|me duele|angustia',
    joke: 'ja(?:ja)+|jeje+|lol|xd|es broma|broma|chiste',
    kidding: 'es broma|broma|es un chiste|mentira|era joda|jodiendo|bromeo',
    said: 'dijo|dice|dicen|me dijo|contó|según|escribió|escribe|pregunta|opina|cree',
    over: 'antes|era|eran|estaba|tenía|cuando era|de chic[oa]|de niñ[oa]|mi ex|ex|difunt[oa]|finad[oa]|hace años|dejé de|dejó de|renuncié|vendí|se terminó',
    ended: 'ya no',
    passing: 'hoy|esta (?:noche|tarde|mañana|semana)|este (?:finde|fin de semana)|ahora mismo|en el (?:juego|sueño)',
    confirms:
      'sí|exacto|exactamente|correcto|cierto|eso es|así es|perfecto|genial|justo|claro(?! que no)|buena memoria|te acordaste',
    corrects:
      'no(?! (?:pasa nada|hay problema|te preocupes|hay prisa))|incorrecto|falso|te equivocas|estás equivocad[oa]|eso (?:no|ya no)|eso era antes|en realidad|la verdad es que no|ya no|yo ya no|para nada',
  },
  questions: {
    stop: 'el|los|las|una|y|o|es|son|yo|mi|tu|su|quien|que|cuando|donde|como|por|cual',
    now: 'ahora|actualmente|actual',
    past: 'antes|primero|originalmente|inicialmente|al principio',
    several: 'qué \\p{L}{3,}s|cuáles|todos|todas|cuánt[oa]s',
    changes: 'cambiado|cambió|nuevo|pasado|pasó|desde|ha|se|qué',
    when: 'cuándo',
    howMany: 'cuánt[oa]s?',
    stillKnown:
      '^(?:(?:ya|todavía|aún|qué) )?(?:(?:te|se) (?:acuerdas|acordás|acuerda|olvidaste|olvidó|has olvidado|ha olvidado)|recuerdas|recordás|recuerda|olvidaste|has olvidado|(?<=(?:todavía|aún) )sabes)(?!(?: todavía| aún)? (?:de )?que(?!\\p{L}))',
  },
  requests: {
    drop: `(?:puedes?|podrías?|podés) (?:ir )?(?:borrando|olvidando|quitando|eliminando|olvidarte de|olvidarte|deshacerte de)|(?:ya )?no (?:necesitas?|hace falta|tienes por qué)(?: que)? (?:saber|tener|guardar|recordar|sepas|tengas|guardes|recuerdes)(?:l[oa]s?)?|(?:bórr|olvíd|elimín|quít|sác)(?:a|e)(?:me|te|se)?(?:l[oa]s?)|(?:b[oó]rr|olv[ií]d|elim[ií]n|qu[ií]t|sac|desc[aá]rt)(?:es|en|ando|arías?|éis)|olvidémonos|desapar(?:ece|ecer|ezca)|(?:se puede|se pueden|puede|pueden|debe|deben) (?:borrar|eliminar|quitar|olvidar)(?:se)?|(?:olv[ií]d|b[oó]rr|elim[ií]n|qu[ií]t|s[aá]c|t[aá]ch|t[ií]r|desc[aá]rt|ign[oó]r|ret[ií]r|l[ií]mpi|p[uú]rg|dep[uú]r|des[eé]ch|entierr|entiérr)(?:a|á|e|es|ar|aras?|ases?)${CLITICS}|(?:saqu|purgu)es?|supr[ií]m(?:e|a|as|ir|ieras?|ieses?)${CLITICS}|(?:haz|hacé|haga|hagas|hacer)(?:l[oa]s?)? desaparecer|desaparezca|desh(?:azte|acete|ágase|acerte|agas) de|d(?:a|ar|é)(?:l[oa]s?)? de baja|fuera|(?:a|en) la (?:papelera|basura)`,
    keep: `teng(?:as|a)(?: eso| esto)?(?= en| guardad| por)|apuntárte?l[oa]s?|tenerl[oa]s?|retengas|tener (?:nada|eso|esto)|sig(?:as|a|ues) (?:guardando|teniendo|recordando)|teng(?:as|a) (?:guardad|apuntad|anotad|registrad)\\p{L}*|guard(?:a|es|e|ar|ás|és|ad[oa]s?|aras?|ases?)${CLITICS}|recuerd(?:es|e|a|as)|record(?:ar|és|aras?)${CLITICS}|acuerd(?:es|e|as)|acord(?:arte|arse|arte de|aras)|anot(?:es|e|ar|ad[oa]s?|aras?)${CLITICS}|apunt(?:es|e|ar|ad[oa]s?|aras?)${CLITICS}|registr(?:es|e|ar|arse|ad[oa]s?)${CLITICS}|memori(?:ces|ce|zar)${CLITICS}|conserv(?:es|e|ar|ad[oa]s?|ase|ara)${CLITICS}|reteng(?:as|a)|retener${CLITICS}|almacen(?:es|e|ar|ad[oa]s?)${CLITICS}|archiv(?:es|e|ar|ad[oa]s?)${CLITICS}|sepas|figur(?:e|en|ar|ara)|const(?:e|en|ar|ara|aran|ase)|salves|qued(?:e|en|ar|ara|arse|es con)(?: \\p{L}+)? (?:guardad|registrad|anotad|apuntad|reflejad|grabad|escrit|constancia|rastro|huella|en ning|por ahí)\\p{L}*|por escrito|l[oa]s? tengas?(?= *(?:[.,;!?]|$| en | guardad| apuntad| anotad| registrad)| por ahí)|aparezcan?(?= en ning| por ning)|(?:en|a) ${MEMORY}`,
    not: 'dej(?:a|ar|ara|es|e|ases?) de|no|ni|nunca|jamás|tampoco|sin|nada|ningún|ninguna',
    unsaid:
      'no (?:quiero|quisiera|querría|me gustaría|deseo)(?: \\S+){0,2}? que ((?:\\S+ ){0,6}?)(?:queden?|quedara|quedase|conste|constara|figure|se guarde|sepas|tengas|recuerdes|(?:aparezca|salga|esté|siga|permanezca) (?:aquí|ahí|en (?:tu|la) memoria|en ning\\p{L}+|guardad[oa]|por ah[íi]))|(?:quiero|quisiera|querría|preferiría|prefiero|me gustaría|mejor)(?: \\S+){0,2}? que ((?:\\S+ ){0,6}?)(?:no (?:quede|quedara|conste|constara|figure|(?:aparezca|salga|esté|siga|permanezca) (?:aquí|ahí|en (?:tu|la) memoria|en ning\\p{L}+))|dej(?:e|ara|ase|es) de (?:constar|estar|figurar|aparecer)|se borre|se borrara)|dej(?:e|ara|ase|a) de (?:constar|figurar|aparecer|estar)|no (?:me )?interesa que (?:\\S+ ){0,4}?(?:quede|conste|guardes|sepas)|que no (?:se )?quede (?:ahí|aquí|ni rastro|nada)|que no (?:salga|aparezca|vuelva a salir)|no (?:se )?quede ahí|(?:haz|hacé|haga|hagamos|hace|actúa) (?:como si|como que|de cuenta que|cuenta que)|como si (?:no |nunca )(?=(?:\\S+ ){0,3}?(?:dich|cont|escri|mencion|dij|hablad|pasad))|no (?:debí|debería|tenía que) (?:haberlo |haber |decir|contar|escrib|poner|pegar|mandar|mencionar)|(?:tú |usted )?no (?:has|ha|habéis) (?:visto|oído|leído|escuchado) nada|nunca te (?:dije|conté|he dicho|he contado)|(?:esto|eso)(?: \\S+){0,2} (?:muere|se muera|muera) aquí|que (?:esto|eso) (?:muera|se muera) aquí',
    all: '(?:el|ese|este) tema|nada|(?:esa|esta|la|toda la|toda esa) historia|(?:ese|este|el) (?:tema|asunto)|al respecto|esa parte|tod[oa]s?|cualquier',
    polite: 'por favor|porfa|gracias|agradecería|(?:puedes|podrías|puede|podría|podés)|te|tu|usted',
    remember:
      'recuerda(?: que|:|,)|recordá(?: que|:|,)|acordate(?: de| que|,)|acuérdate(?: de| que|,)|ten en cuenta|tené en cuenta|toma nota|tomá nota|anota|anotá|anotame|apunta|apuntá|no (?:te )?olvides (?:que|de que)|para que sepas|que sepas que|guárdalo|guardalo|guardá (?:que|esto)',
    ...forgetRequests({
      drop: 'olvidaras|borres|borraras|elimines|eliminaras|quites|quitaras|saques|olvida|olvidá|olvide|olvides|olvidases|borrases|eliminases|quitases|retira|retirá|retire|retires|retirar|descarta|descarte|descartar|purga|purgue|purgar|depura|depure|anula|anule|deshazte de|deshágase de|olvidate de|olvídate de|olvidar|borra|borrá|borre|borrar|bórra(?:me)?|elimina|eliminá|elimine|eliminar|quita|quitá|quite|quitar|saca|sacá|tacha|suprime|suprimir',
      object: `(?:de )?(?:eso|esto|aquello|todo|mi|mis|nuestro|nuestra)(?= (?!último|última|texto|mensaje|carta|correo anterior|lista|archivo)| *[.!,;?]|$)|(?:todo )?(?:lo que|lo de|lo mío|dónde|donde|cómo|cuánto|quién|que (?:yo|te|me|mi|soy|vivo|trabajo|tengo|estoy|estuve|tuve|fui|he|\\p{L}{2,}o(?![\\p{L}])))|(?:la|el|los|las|es[eao]s?|cualquier) (?:parte|datos?|información|info|cosas?|nombre|mención|historia|tema|asunto|detalle|comentario)s? (?:de|sobre|del|al?|con|relativ[oa]s? al?|relacionad[oa]s? con|que)|(?:el|la|los|las|es[ea]) (?!texto|mensaje|lista|archivo|frase|párrafo|columna|línea|tabla|foto|imagen)(\\p{L}+(?: \\p{L}+){0,3}?) que (?:ya )?(?:te|le|os) (?:he |había )?${TOLD}`,
      keepNot:
        'no (?:hace falta|es necesario|necesito|quiero|quisiera|me gustaría) que (?:te |lo |la |los |las )?(?:guard(?:es|és|e|aras|ases)|recuerd(?:es|e)|recordaras|anot(?:es|e|aras)|apunt(?:es|e|aras)|registr(?:es|e)|memoric(?:es|e)|acuerd(?:es|e)|acordaras|sepas|supieras|conserv(?:es|aras)|reteng(?:as)|almacen(?:es|aras))(?: de)?|(?:prefiero|preferiría|me gustaría|quisiera|mejor) que no (?:te |lo |la |los |las )?(?:guard(?:es|és|e|aras|ases)|recuerd(?:es|e)|recordaras|anot(?:es|e|aras)|apunt(?:es|e|aras)|registr(?:es|e)|memoric(?:es|e)|acuerd(?:es|e)|acordaras|sepas|supieras|conserv(?:es|aras)|reteng(?:as)|almacen(?:es|aras))(?: de)?|no (?:necesitas|tienes que|tienes por qué|hace falta|debes|hay que) (?:recordar|guardar|anotar|apuntar|acordarte|registrar|memorizar|saber|conservar|retener)(?:lo|la|los|las)?(?: de)?|(?:no|ni) (?:lo |la )?(?:apuntes|apunte)|(?:no|ni) (?:lo |la |los |las |me |te |quiero que (?:te |lo )?)?(?:guardes|guardés|guarde|recuerdes|recuerde|anotes|anote|registres|registre|memorices|memorice|acuerdes|acuerde|sepas|conserves)(?: (?:de )?(?:eso|esto|nada|lo que|lo de|mi|mis|dónde|que))?|que no quede(?: (?:guardado|registrado|anotado))?',
      memory: `(?:de|en) ${MEMORY}`,
      also: `(?:haz|hacé|haga|hagamos) (?:como si|como que|de cuenta que) (?:\\S+ )?(?:nunca|no)|(?:bórr|borr|elimín|elimin|quít|quit|sác|sac)a(?:lo|la|los|las|melo)(?= *(?:[.!,;?]|$| por favor| porfa| ya| ahora| todo| de (?:tu|su|la)))|olvídal[oa]s?(?= *(?:por favor|porfa|de (?:tu|su)|ya mismo))|(?:retíra|descárta|deséch[ae]|entiérra|suprím[ea]|púrga|tácha|bórrate|quítate|olvídate)l[oa]s?(?= *(?:[.!,;?]|$| por favor| porfa| ya| ahora))|fuera de ${MEMORY}|(?:solicito|pido|exijo|requiero|reclamo) (?:la |el )?(?:supresión|eliminación|borrado|cancelación) (?:del?|de los|de las)|(?:haz|haga) que (?:eso |esto )?desaparezca|esto queda entre nosotros`,
      named:
        '(?:olvida|olvide|borra|borrá|borre|borres|borrar|elimina|elimine|elimines|eliminar|quita|quite|quites|quitar|descarta|purga|retira|suprime) (?:el|la|los|las|es[ea])',
    }),
    joins: 'y|o|ni',
    another: 'mis?|sus?|lo que|dónde|donde',
    but: 'pero',
    so: 'así que|asi que|conque|entonces|por eso|por lo que',
    supposing: '(?<!mejor )(?<!bien )si(?! puedes| podrías| es posible)',
    person: 'él|ella|(?:me|le|nos) (?:dijo|contó|ha dicho|dice)',
    own: '(?:deb(?:ería|o|emos)|tengo que|tenemos que|voy a|vamos a|no (?:puedo|consigo|logro)) (?:\\S+ ){0,1}|(?:quiero|quisiera|querría|necesito|me gustaría) (?=(?:olvid|quit|sac|tir|solt|dej)ar)',
    points: 'eso|esto|[uú]ltim[oa]',
    it: 'lo|la|los|las',
    correcting: '(?:no|perdón|espera)[,.!]* +(?:es |era |quise decir |digo )?|quise decir |digo ',
    stays: '(?:puede|pueden) quedarse|déjal[oa]s?|se queda|está bien',
    general: 'salud|finanzas',
    told: 'desahog(?:o|ué|arme)|confesé|confesado|solté|(?:tienes|sabes|guardas) (?:todavía|aún)|(?:todavía|aún) (?:tienes|sabes|guardas)|contad[oa]|contarte|contarle|contártelo|contárselo|habértelo|habérselo|conté|dicho|dije|decirte|decírtelo|decirle|mencionad[oa]|mencioné|mencionarte|comentad[oa]|comenté|escribí|escrito|hablé|hablado|lo que sabes',
    pointing:
      'broma|mentira|coña|jaja|jeje|jajaja|siempre|completo|completamente|definitivamente|seguridad|entero|entera|anda|todo|toda|falso|cierto|resuelto|arreglado|acabó|terminó|pasado|aquí|ahí|hacer|sigas|guardando|puesto|anterior|asunto|tema|temas|detalles?|historia|mención|menciones|comentario|info|relativo|resto|sitio|lado|ningún|ninguna|rincón|guardad[oa]s?|anotad[oa]s?|apuntad[oa]s?|registrad[oa]s?|constancia|rastro|huella|constar?|const(?:ara|e)|quede|quedar|tengas|vale|verdad|oye|mira|joder|perdona|disculpa|uf|hola|estamos|pasé|mandé|puse|pegué|mencioné|comenté|nombré|solté|facilité|querer|quisiera|querría|mejor|usted|apuntes|ficha|archivo|historial|perfil|dato|cualquier|dije|dicho|decir|contar|contado|conté|escribí|escrito|acabo|acabé|antes|recién|ahora|mismo|ya|memoria|notas|registro|nombre|cosa|datos?|parte|información|guardar|guardes|recordar|recuerdes|anotar|falta|hace|necesitas|prefiero|preferiría|gustaría|quiero|favor|porfa|privado|última|último|frase|mensaje|olvida|borra|elimina|quita|tenía|debí|debía|debería|debiera|haber|he|había|cosas',
    lead: 'si es así|si sí|entonces|por favor|porfa|me gustaría que|preferiría que|prefiero que|te agradecería que|necesito que|oye|ok|bueno|no|ya|y|pero|mejor|puedes|podés|podrías|puede|podría|te pido que|quiero que|(?:lo|eso|esto) del? (?:la |el |los |las |mi |mis )?(\\S+)|mi (\\S+)|(?:quisiera|querría|solicito|pido|le pido|le agradecería|te importaría|le importaría|te ruego|le ruego) que|perdona|disculpa|mira|uf|hola|joder|vale|buenas tardes|y|así que|si puedes|anda y|anda|ay|perdón|ya no quiero que(?: te)?',
    notForget: `d[ií](?:le|les)(?: |$)|(?:recuerdes|recordar|acordarte)(?: de)? todo|(?:recuerdes|guardes) (?:lo )?todo|no (?:te )?olvides|no olvides|me olvidé|olvidé|te olvidaste|no me olvido|olvidate\\b(?! de)|(?:borr|elimin|quit|sac|tach|suprim|desc[aá]rt|retir)\\p{L}* (?:l[ao]s?|el|es[ea]s?|un[ao]?s?|todas las|todos los|mis?) ${WORKS}|(?:borr|bórr|elimin|elimín|quit|quít|sac|sác|tach|suprim|retir)\\p{L}* (?:\\S+ ){0,5}?(?:de|del|en) (?:la |el |mi |esta |este |tu )?${WORK_PLACES}`,
    takeBack:
      '(?:mejor|no|espera|pensándolo bien)?[, ]{0,3}(?:guárdalo|guardalo|quédatelo|déjalo guardado|no lo borres|no lo olvides|podés guardarlo|puedes guardarlo)(?: nomás| igual| al final)?|(?:mejor|no|espera|al final)[,. ]+(?:\\S+ ){0,2}?(?:déjal[oa]s?|guárdal[oa]s?|quédatel[oa])|déjal[oa]s? (?:como|ahí|estar)|pensándolo (?:mejor|bien)[,. ]+(?:\\S+ ){0,3}?(?:déjal|guard|conserv)\\p{L}*',
    wish: 'de ahora en (?:adelante|más)|a partir de ahora|desde ahora|en el futuro|de acá en más|siempre (?:contesta|responde|respondé|dame|escribe|usa|poné|pon)|nunca (?:uses|pongas|escribas|digas|me)|no (?:me )?(?:uses|pongas|escribas|digas|hables|des|llames)|deja de|dejá de|háblame|hablame|tutéame|tuteame|tratame|trátame|llámame|llamame|decime|respuestas (?:cortas|largas|breves)|respóndeme|respondeme|contéstame|contestame|cada vez que|cuando te (?:pida|pregunte)|cortita|cortito',
    reminder:
      'recuérdame|recordame|hazme acordar|haceme acordar|avísame|avisame|recordatorio|ponme una alarma|poneme una alarma|despiértame|despertame',
    aboutText:
      '¿?(?:es|será) (?:esto )?(?:real|verdad|estafa|phishing|spam|falso|legítimo|cierto|correcto|normal)|qué (?:significa|quiere decir|dice)|resum\\p{L}+|traduc\\p{L}+|corrig\\p{L}+|reescrib\\p{L}+|contesta\\p{L}* (?:esto|esta|este|a esto)|responde\\p{L}* (?:esto|esta|este|a esto)|qué (?:le )?(?:contesto|respondo)|mira (?:esto|este|esta|lo que)|mirá (?:esto|este|esta|lo que)|lee (?:esto|este)|me (?:llegó|mandaron|escribieron|mandó|escribió|puso)|este (?:mail|correo|mensaje|texto)|esta (?:reseña|carta|nota)|acá está|aquí está|revisa (?:esto|este)|juego de rol|haz de cuenta|completa la|te pego|te copio',
  },
  calendar: {
    months: [
      'enero|ene',
      'febrero|feb',
      'marzo|mar',
      'abril|abr',
      'mayo',
      'junio|jun',
      'julio|jul',
      'agosto|ago',
      'septiembre|setiembre|sept?',
      'octubre|oct',
      'noviembre|nov',
      'diciembre|dic',
    ],
    weekdays: ['lunes', 'martes', 'miércoles|miercoles', 'jueves', 'viernes', 'sábado|sabado', 'domingo'],
    days: [
      ['anteayer|antier', -2],
      ['ayer', -1],
      ['hoy', 0],
      ['pasado mañana', 2],
      ['(?<!la |esta |por la |de la )mañana', 1],
      ['anoche', -1],
    ],
    spans: [
      ['la semana pasada', 'week', -1],
      ['la (?:próxima semana|semana que viene|semana próxima)', 'week', 1],
      ['esta semana', 'week', 0],
      ['el mes pasado', 'month', -1],
      ['el (?:próximo mes|mes que viene|mes próximo)', 'month', 1],
      ['el año pasado', 'year', -1],
      ['el (?:próximo año|año que viene)', 'year', 1],
    ],
    ago: 'hace <n> <unit>',
    ahead: '(?:en|dentro de) <n> <unit>',
    units: { day: 'días?|dias?', week: 'semanas?', month: 'mes(?:es)?', year: 'años?' },
    numbers: { un: 1, una: 1, dos: 2, tres: 3, cuatro: 4, cinco: 5, seis: 6, siete: 7, ocho: 8, nueve: 9, diez: 10 },
    dates: [
      '(?:el )?<d> de <m>(?: (?:de|del) <y>)?',
      '(?:el )?<d>/<mm>(?:/<y>)?',
      '(?:en|desde|hasta|para|a partir de) <m>(?: (?:de|del) <y>)?',
    ],
    nextWeekday: '(?:el )?(?:próximo <w>|<w> que viene)',
    lastWeekday: '(?:el )?<w> pasado',
    weekday: '(?:el |para el |hasta el )<w>',
    written: '{d} de {month} de {y}',
    from: 'a partir del?(?: día)?',
    until: 'hasta|hasta el|antes del?',
  },
  my: 'mi|mis|nuestro|nuestra',
  i: 'yo',
  iAm: 'yo soy|soy|yo estoy|estoy|somos|estamos',
  is: ' es| está',
  relations: relations({
    mother: 'madre|mamá|mama|vieja',
    father: 'padre|papá|papa|viejo',
    sister: 'hermana',
    brother: 'hermano',
    son: 'hijo|hijito',
    daughter: 'hija|hijita',
    wife: 'esposa|mujer',
    husband: 'esposo|marido',
    partner: 'pareja',
    girlfriend: 'novia',
    boyfriend: 'novio',
    grandmother: 'abuela',
    grandfather: 'abuelo',
    grandson: 'nieto',
    granddaughter: 'nieta',
    aunt: 'tía',
    uncle: 'tío',
    cousin: 'primo|prima',
    niece: 'sobrina',
    nephew: 'sobrino',
    friend: 'amigo|amiga',
    boss: 'jefe|jefa',
    neighbour: 'vecino|vecina',
    'mother-in-law': 'suegra',
    'father-in-law': 'suegro',
    'brother-in-law': 'cuñado',
    'sister-in-law': 'cuñada',
    'business partner': 'socio|socia',
    dog: 'perro|perra',
    cat: 'gato|gata',
    employee: 'empleada|empleado',
  }),
  partners: 'esposa|mujer|esposo|marido|pareja|novia|novio|prometid[oa]',
  pets: 'perr[oa]|gat[oa]|perrit[oa]|gatit[oa]|conejo|loro|caballo|tortuga|hámster|cachorro',
  children: 'hij[oa]|hijit[oa]|nen[ea]|bebé|niñ[oa]|mayor|menor',
  lists: {
    ...WORDS.es,
    car: `(?:${CARS})(?: (?:${CARS}|rio))?(?: (?:19|20)\\d\\d)?(?: (?:híbrido|híbrida))?`,
    bike: `(?:${BIKES}) [a-z0-9-]+`,
    phone_model: PHONES,
    drug: `(?:${DRUGS}|paracetamol|ibuprofeno|[a-z]{2,16}(?:pril|sart[aá]n|statina|olol|prazol|cilina|formina|dipino|xab[aá]n))(?: ?\\d+(?: ?mg)?)?`,
  },
  slots: [
    // What has ended, with its value.
    ...slot(
      'employer',
      [
        '(?:me despidieron|me han despedido|me echaron|me han echado|renuncié|he renunciado|dejé (?:mi|el) trabajo|he dejado (?:mi|el) trabajo) (?:de|en|a) (?!(?:casa|mi|la|el|un|una)(?![\\p{L}]))<org>',
      ],
      { denied: true },
    ),
    ...slot(
      'partner_name',
      [
        '(?<!(?:mi|el|la|que|cuando|si) )(?!(?:ella|él|usted|mamá|papá)(?![\\p{L}]))(?<v>\\p{L}[\\p{L}-]+) y yo (?:ya )?(?:hemos roto|rompimos|nos separamos|nos hemos separado|lo dejamos|lo hemos dejado|nos divorciamos|terminamos|cortamos)(?= *(?:[.,;:!(]|$)| (?:ayer|hoy|la semana|el mes|hace|este|esta|porque))',
        '(?<!(?:cuando|si) )(?:rompí|he roto|corté|he cortado|lo he dejado|lo dejé|terminé) con <name>',
      ],
      { denied: true },
    ),
    ...slot(
      'pet_name',
      [
        '(?:tuvimos|tuve) que (?:sacrificar|dormir) a (?!(?:mi|la|el|un|una)(?![\\p{L}]))(?<v>\\p{L}[\\p{L}-]+)',
        '(?:mi|nuestr[oa]) (?:PETS) (?<v>\\p{L}[\\p{L}-]+) (?:se )?(?:murió|ha muerto|falleció)',
      ],
      { denied: true },
    ),
    ...slot('allergy', ['(?<!que )(?:ya )?no soy (?:al final )?alérgic[oa] (?:a la|a los|a las|al|a) <words>'], {
      denied: true,
    }),
    ...slot('name', [
      '(?:me llamo|mi nombre es) <anyname>',
      '(?:^|[,;.] )soy (?:don |doña )?<fullname>(?= *(?:,|[.!]|$| de\\b| del\\b| por si\\b))',
    ]),
    ...slot('preferred_name', ['(?:llámame|llamame|decime|dime|díganme|me dicen|me llaman|todos me dicen) <name>']),
    ...slot('birthday', [
      'mi cumpleaños es (?:el )?<date>',
      'cumplo años el <date>',
      'nací el <date>',
      'mi cumple es (?:el )?<date>',
    ]),
    ...slot('age', [
      'tengo <age> años',
      'tengo <age>(?= (?:tampoco|ya cumplidos|cumplidos)\\b)',
      'a los <age>(?= *(?:[.,!]|$))',
      'cumpl[íi] <age>(?= *(?:[.,!]|$| años))',
    ]),
    ...slot('age', ['<related> tiene <age> años']),
    ...slot('home_city', [
      '(?:ya no )?(?:vivo|vivimos|estoy viviendo|resido)(?: \\p{L}+)? en <place>',
      '<related> vive(?: \\p{L}+)? en <place>',
      'me (?:mudé|he mudado|vine a vivir) a <place>',
      'nos hemos mudado a <place>',
      '(?:mi|nuestra) (?:casa|depa|departamento|piso) en <place>',
      'acá en <place>',
      'aquí en <place>',
    ]),
    ...slot('home_city', ['me (?:mudo|voy a mudar) a <place>', 'nos (?:mudamos|vamos a mudar) a <place>'], {
      tense: 'planned',
    }),
    ...slot('hometown', ['soy de <place>', 'nací en <place>', 'crecí en <place>']),
    ...slot('address', ['(?:mi|nuestra) (?:nueva )?(?:dirección|casa) (?:es|queda en|está en) <street>']),
    ...slot('employer', [
      '(?:ya no )?trabajo(?: \\p{L}+){0,2}? (?:en|para) <org>',
      '<related> trabaja (?:en|para) <org>',
      'mi (?:jefe|jefa|trabajo) (?:en|de) <org>',
      'empecé (?:a trabajar )?en <org>',
      '(?:a partir|desde) (?:\\S+ ){1,5}?trabajaré (?:en|para) <org>',
      'entré a (?:trabajar a |trabajar en )?<org>',
    ]),
    ...slot('employer', ['(?:empiezo|entro|arranco)(?: a trabajar)?(?: \\S+){0,4}? en <org>'], { tense: 'planned' }),
    ...slot('job_title', [
      '<whois> (?:un |una |el |la )?<job>(?! de mi)',
      'trabajo (?:de|como) <job>',
      '<related> es <job>',
      '<related> trabaja (?:de|como) <job>',
    ]),
    ...slot('school', [
      'estudio(?: \\p{L}+){0,5}? en (?:la |el )?<school>',
      '<related> estudia(?: \\p{L}+){0,4}? en (?:la |el )?<school>',
    ]),
    ...slot('degree', ['estudio (?<v>\\p{L}{6,}(?:ía|ina|cho|ción|tura|mía))(?= |[.,]|$)']),
    ...slot('partner_name', [
      '(?<!de )mi (?:PARTNERS)(?:,| se llama| es) (?:la |el )?<name>',
      'mi (?:PARTNERS)(?:,| la| el)? <name>',
      '<name>,? (?:que )?(?:es )?mi (?:PARTNERS)\\b',
    ]),
    ...slot('child_name', [
      '(?<!de )mi (?:CHILDREN)(?: (?:mayor|menor))?(?:,| se llama| es) (?:la |el )?<name>',
      'mi (?:CHILDREN)(?: (?:mayor|menor))?(?:,| la| el)? <name>',
      '<name>,? (?:que )?(?:es )?mi (?:CHILDREN)\\b',
    ]),
    ...slot('pet_name', [
      '(?<!de )(?:mi|nuestr[oa]) (?:PETS) (?:se llama|es) <name>',
      '(?:mi|nuestr[oa]) (?:PETS),? <name>',
      'tengo un[a]? (?:PETS)(?:,| que se llama| llamad[oa])? <name>',
    ]),
    ...slot('car', [
      '(?:manejo|tengo|compré|me compré|me compre)(?: \\p{L}+){0,2}? un[a]? <car>',
      '(?:mi|nuestro) <car>',
    ]),
    ...slot('car', ['vend[íi] (?:el|mi|la) <car>'], { denied: true }),
    ...slot('phone_model', [
      '(?:tengo|uso|compré|me he comprado|me compré|me (?:he pasado|pasé|cambié|he cambiado) a) un <phone_model>',
      'mi <phone_model>',
    ]),
    ...slot('diet', ['<whois> <diet>', '<related> es <diet>']),
    ...slot('diet', ['no como <meat>', '<related> no come <meat>'], { value: 'sin {value}', firm: true }),
    ...slot('allergy', [
      '<whois> alérgic[oa] (?:a la|a los|a las|al|a) <words>',
      '<related> es al[eé]rgic[oa] (?:a la|a los|a las|al|a) <words>',
      'tengo alergia (?:a la|a los|a las|al|a) <words>',
    ]),
    ...slot('allergy', ['^al[eé]rgic[oa] (?:a la|a los|a las|al|a) <words>'], { alone: true }),
    ...slot('medical_condition', [
      'tengo <condition>',
      'me diagnosticaron <condition>',
      'tengo (?<v>azúcar)(?= (?:desde|alta)\\b|[.,]|$)',
      '(?:doctor|doctora|médico|médica)(?: \\p{L}+)? (?:dice|dijo)(?: que)? (?:tengo|es|soy)(?: una?)? (?<v>{condition}|{being})(?![\\p{L}])',
      '<related> tiene <condition>',
      'mi <condition>',
      '<whois> <being>',
    ]),
    ...slot('medication', [
      '(?:tomo|estoy tomando|me recetaron|me dieron)(?: \\p{L}+)? <drug>',
      '<related> toma <drug>',
    ]),
    ...slot('blood_type', ['(?:mi (?:grupo sanguíneo|tipo de sangre) es|soy) <bloodType>']),
    ...slot('language', ['hablo(?: \\p{L}+){0,2}? <language>', 'mi lengua materna es <language>']),
    ...slot('hobby', [
      'mi (?:hobby|pasatiempo) es <words>',
      'me (?:gusta|encanta) <activity>',
      '(?:hago|practico) <activity>',
      'juego (?:al |a las )?<game>',
      'canto en (?:el|un) <club>',
    ]),
    ...slot('sport', ['juego (?:al )?<sport>']),
    ...slot('instrument', ['toco (?:la |el )?<instrument>']),
    ...slot('favourite_food', ['mi (?:comida|plato) favorit[oa] es <words>']),
    ...slot('favourite_colour', ['mi color favorito es <words>']),
    ...slot('salary', ['(?<!me )(?<!nos )(?:gano|cobro) <money>', 'mi sueldo es (?:de )?<money>']),
    ...slot('rent', [
      '(?:pago|pagamos) <money> de (?:alquiler|renta)',
      '(?:el|mi) alquiler (?:es|sale|está en) (?:de )?<money>',
    ]),
    ...slot(
      'budget',
      [
        '(?:mi|el|nuestro) presupuesto es (?:de )?<money>',
        '<money> (?:máximo|como máximo|maximo|tope)',
        '(?:no más de|máximo|hasta) (?!(?:19|20)\\d\\d *(?:[.,!]|$))<money>(?= *(?:[.,!]|$| para| el| en| entre))',
        'no pienso pasar de <money>',
      ],
      { firm: true },
    ),
    ...slot('working_hours', [
      '(?:trabajo|manejo|abro|voy a abrir)(?: \\p{L}+){0,3}? (?:de )?<hours>',
      'mi horario es (?:de )?<hours>',
      '(?:trabajo|hago) (?<v>de noche|turno noche|medio tiempo|media jornada|tiempo completo)',
    ]),
    ...slot('email', ['mi (?:mail|correo|email)(?: es|:) <email>']),
    ...slot('phone_number', ['mi (?:número|numero|teléfono|celular|cel|whatsapp)(?: es|:) <phone>']),
    ...slot('relationship_status', ['<whois> <status>(?! con)']),
    ...slot(
      'travel_destination',
      [
        '(?<!cada (?:vez )?que )(?:viajo|viajamos|me voy|nos vamos|vamos|voy)(?: de (?:viaje|vacaciones))? a <place>(?= (?:el|en|del|con|por|desde|la) |[.,]|$)',
      ],
      { tense: 'planned' },
    ),
    ...slot(
      'appointment',
      ['{appointment}(?: \\S+){0,6}? (?:el )?<day>', '(?:el )?<day>(?: \\S+){0,4}? {appointment}'],
      { tense: 'planned' },
    ),
    ...slot(
      'answer_length',
      [
        'respuestas (?:más )?<length>',
        '(?:cont[eé]st\\p{L}+|resp[oó]nd\\p{L}+)(?: \\p{L}+){0,2}? <length>',
        '(?:mandame|dale|pero) (?:pero )?<length>',
      ],
      { standing: true, firm: true },
    ),
    ...slot(
      'answer_tone',
      [
        '(?:háblame|hablame|tratame|trátame) de (?<v>vos|tú|usted)',
        'no me hables de (?:tú|usted)[^.]*, de (?<v>vos|tú)',
        '(?:sé|sos) <tone>',
      ],
      { standing: true, firm: true },
    ),
    ...slot(
      'answer_language',
      ['(?:contesta|contestá|responde|respondé|escribe|escribí|háblame|hablame)(?: \\p{L}+){0,2}? en <language>'],
      { standing: true, firm: true },
    ),
    ...slot(
      'job_title',
      [
        '(?:^|[,.] |yo |que )(?:soy|trabajo de|trabajo como|laburo de|curro de|curro como)(?: la| el)? <job>',
        '^(?:como )?(?=(?:[\\p{L}-]+ )?{job}(?: (?:de|en|desde)\\b|,))<job>',
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'home_city',
      ['(?:vivo|vivimos|resido|me mudé|nos mudamos)(?: \\p{L}+){0,3}? (?:en|a) <place>', '(?:acá|aquí) en <place>'],
      { likely: 'alone' },
    ),
    ...slot('hometown', ['(?:^|[,.] |yo |que )soy de <place>'], { likely: 'alone' }),
    ...slot(
      'employer',
      [
        '(?:trabajo|laburo|curro|empecé|entré|empiezo)(?: \\p{L}+){0,3}? en (?:la |el |una? \\p{L}+ que se llama )?<org>',
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'working_hours',
      [
        '(?:trabajo|laburo|curro|atiendo|abro|conmigo|voy)(?: \\p{L}+){0,2}? (?<v>(?:de )?(?:lunes|martes|miércoles|jueves)(?:,? (?:a |y )?(?:martes|miércoles|jueves|viernes|sábados?|domingos?))+)(?![\\p{L}])',
        '(?:trabajo|laburo|curro)(?: \\p{L}+){0,2}? (?:de )?<hours>',
        '(?:de )<hours> (?:trabajo|laburo|curro)',
        'turno (?<v>nocturno|de noche|de mañana|de tarde)',
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'medical_condition',
      [
        '(?:tengo|sufro de|padezco|me diagnosticaron|me detectaron)(?: \\p{L}+){0,2}? <condition>',
        'soy <being>',
        'sufro de (?:la |el |los )?(?<v>presión|azúcar|corazón|espalda|riñones)',
      ],
      { likely: 'alone' },
    ),
    ...slot('medication', ['(?:tomo|tomando|me recetaron|me dieron|me cambi\\p{L}+ (?:\\S+ ){0,4}?por|por) <drug>'], {
      likely: 'alone',
    }),
    ...slot(
      'hobby',
      [
        '(?:tengo|hago|practico|voy a)(?: \\p{L}+)? <activity>(?=[.,]|$| los| el| con)',
        '(?:^|juego |juego )al (?<v>dominó|ajedrez|mus|truco|tute|parchís)',
        'hace \\S+ años que (?<v>bailo|canto|pinto|corro|nado|escalo)',
        'doy un (?<v>taller de \\p{L}+)',
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'rent',
      [
        '(?:alquiler|renta)(?: [^.;\\d]{0,20})? <money>',
        'pago(?: yo)?(?: los| el| la)? <money>(?: \\p{L}+)? (?:de alquiler|de renta|enteros)',
      ],
      { likely: 'alone' },
    ),
    ...slot('car', ['(?:tengo|manejo|conduzco|me compré|es|en) (?:una?|mi|el|la) <car>'], { likely: 'alone' }),
    ...slot('pet_name', ['(?:mi|la|el|nuestra?) (?:PETS) se llama <anyname>'], { likely: 'kept' }),
    ...slot('relationship_status', ['mi (?:marido|esposo)(?: \\p{L}+)? (?:murió|falleció)'], {
      likely: 'kept',
      value: 'viuda',
      firm: true,
    }),
    ...slot('relationship_status', ['mi (?:mujer|esposa)(?: \\p{L}+)? (?:murió|falleció)'], {
      likely: 'kept',
      value: 'viudo',
      firm: true,
    }),
    ...slot(
      'relationship_status',
      [
        '(?:^|ya |[,.] )(?<v>terminé con (?:el |la )?\\p{L}+|me separé|me divorcié|estoy solter[oa]|estoy divorciad[oa])(?![\\p{L}])',
      ],
      { likely: 'alone' },
    ),
    ...slot(
      'answer_tone',
      ['(?<v>tutéame|tuteame|de usted|de vos)(?:,? siempre|,? por favor|[.,]|$)', 'y con (?<v>humor)(?![\\p{L}])'],
      { likely: 'alone' },
    ),
    ...slot(
      'answer_format',
      [
        '(?:haceme|hazme|dame|ponme|poneme|contéstame|contestame|respóndeme)(?: \\p{L}+)? siempre <clause>',
        '(?:^|ahora |siempre )en (?<v>kilos|gramos|kilómetros|metros|euros|celsius)(?=,? no en| siempre|[.,]|$)',
      ],
      { likely: 'alone', firm: true },
    ),
    // What has ended, without its value: these rules come after all that tell a value.
    ...slot(
      'employer',
      [
        '(?<!(?:cuando|si|desde que|casi|que) )(?:dejé|perdí|renuncié a|he dejado|he perdido|he renunciado a) (?:mi|el) (?:trabajo|empleo|curro|laburo)(?= *(?:[.,;:!(]|$)| (?:ayer|hoy|la semana|el (?:mes|lunes|martes|viernes)|esta|este|porque|y|para))',
        '(?<!(?:cuando|si|casi) )me (?:despidieron|han despedido|echaron|han echado)(?: del (?:trabajo|curro|laburo))(?![\\p{L}])',
        '(?<!(?:cuando|si|casi) )me (?:despidieron|han despedido)(?= *(?:[.,;:!(]|$)| (?:ayer|hoy|la semana|el (?:mes|lunes|martes|viernes)|esta|este))',
        '(?<!(?:cuando|si) )me (?:jubilé|he jubilado)(?![\\p{L}])',
        '(?:ahora )?estoy (?:ahora )?(?:en (?:el )?paro|desempleado|desempleada|sin trabajo|jubilad[oa])(?![\\p{L}])',
      ],
      { denied: true },
    ),
    ...slot(
      'partner_name',
      [
        'mi (?:PARTNERS) y yo (?:ya )?(?:hemos roto|rompimos|nos separamos|nos hemos separado|lo dejamos|lo hemos dejado|nos divorciamos|terminamos|cortamos)(?![\\p{L}])',
        'mi (?:PARTNERS) me (?:dejó|ha dejado)(?= *(?:[.,;:!(]|$)| por (?:otr|un))',
        '(?:rompí|he roto|corté|he cortado|terminé) con mi (?:PARTNERS)(?![\\p{L}])',
        '(?:^|[,.;!] )(?:nos hemos separado|nos separamos|hemos roto)(?= *(?:[.,;:!(]|$))',
        'estoy (?:otra vez|de nuevo) solter[oa]|vuelvo a estar solter[oa]',
      ],
      { denied: true },
    ),
    ...slot(
      'car',
      [
        '(?<!(?:cuando|si|casi) )(?:vendí|vendimos|he vendido|hemos vendido) (?:mi|el|nuestro) (?:coche|carro|auto)(?![\\p{L}])(?! de )',
      ],
      { denied: true },
    ),
    ...slot(
      'diet',
      [
        '(?:vuelvo a comer|he vuelto a comer|volví a comer) (?:carne|pollo)(?![\\p{L}])',
        '(?<!no )como (?:carne|pollo) (?:otra vez|de nuevo)',
      ],
      { denied: true },
    ),
  ],
  answers: [
    ['name', 'cómo te llamas|cómo te llamás|cómo se llama usted|cuál es (?:tu|su) nombre', '<fullname>'],
    ['age', 'cuántos años ten[eé]s|qué edad|cuántos años tienes', '<age>'],
    ['home_city', 'dónde (?:vives|vivís|vive)', '<place>'],
    ['job_title', 'a qué te dedic[aá]s|en qué trabaj[aá]s', '<job>'],
    ['budget', 'presupuesto|cuánto (?:quieres|querés|puedes|podés) gastar', '<money>'],
    ['email', 'correo|mail', '<email>'],
    ['phone_number', 'número|teléfono', '<phone>'],
  ],
  topics: {
    name: 'nombre|apellido|cómo me llamo',
    birthday: 'cumpleaños|cumple|cumplo años|(?:fecha|lugar) de nacimiento|nací',
    age: 'edad|cuántos años tengo|tengo \\d+ años',
    home_city: 'dónde vivo|donde vivo|ciudad|vivo',
    address: 'direcci[oó]n|domicilio|calle|ronda|pasaje|paseo|señas|avenida|avda|plaza|dónde vivo',
    employer: 'dónde trabajo|donde trabajo|empresa|empleo|trabajo|para quién trabajo',
    job_title: 'profesión|oficio|a qué me dedico',
    salary: 'sueldo|ingresos|brutos|netos|salario|nómina|lo que (?:gano|cobro)|cuánto (?:gano|cobro)|gano|cobro',
    working_hours: 'horarios?|turnos?',
    school: 'escuela|colegio|cole|guarde|guardería|instituto|insti|uni|carrera|universidad|facultad',
    partner_name: 'marido|esposo|esposa|mujer|novio|novia|pareja|ex',
    child_name: 'hijos?|hijas?|niñ[oa]s?|beb[eé]|peques?|nene|nena|cr[ií][oa]s?',
    pet_name: 'perr[oa]|gat[oa]|mascota',
    car: 'coche|auto|carro|matrícula',
    rent: 'alquiler|renta',
    debt: 'deudas?|deber|debemos|endeudad[oa]|debo|préstamo|hipoteca|prestado|prestó',
    allergy: 'alergias?|alérgic[oa]',
    medical_condition: 'salud|enfermedad|diagnóstico|embarazada|embarazo',
    medication: 'medicación|medicamentos?|pastillas?|tomo',
    diet: 'dieta|lo que como',
    religion: 'religión|fe|iglesia',
    political_view: 'pol[ií]ticas?|ideas políticas|ideología|voté|voto|votar|partido',
    hobby: 'aficiones|afición|hobby',
    appointment: 'citas?|hospital|médico|terapia',
    goal: 'metas?|objetivos?|planes',
    manager: 'jef[ea]',
    email: 'correo(?: electr[oó]nico)?|e-?mail|mail',
    phone_number: '(?:n[uú]mero de )?(?:tel[eé]fono|m[oó]vil|celular|cel|tel|whatsapp)|n[uú]mero',
    breakup:
      'ex|exmarido|exmujer|exnovi[oa]|exparej[ao]|lo dejé con|lo dejamos|me dejó|rompí|rompimos|ruptura|separ(?:é|ado|ada|amos|ación)|divorci\\p{L}*|corté con|cortamos',
    health: `salud|discapacidad|padec\\p{L}+|seropositiv[oa]|alzh[eé]imer|p[aá]rkinson|trastorno|celíac[oa]|médic[oa]s?|enfermedad(?:es)?|enfermo|enferma|diagnóstic\\p{L}*|diagnosticaron|tratamiento|terapia|terapeuta|psiquiatra|psicólog[oa]|depresión|ansiedad|ataques? de pánico|bipolar|tdah|diabetes|cáncer|quimio|operaron|operación|epilepsia|asma|migrañas?|lupus|vih|inyecci[oó]n(?:es)?|medicación|medicamentos?|medicinas?|pastillas?|rehabilitación|adicción|salud mental|${DRUGS}`,
    leaving:
      'otro (?:trabajo|curro|empleo)|currículum|entrevista|dimitir|renunciar|dejar el (?:trabajo|curro)|dimisión',
    bank: 'iban|tarjeta|cuenta(?: bancaria| corriente)?|banco|datos bancarios|número de cuenta',
    identity: 'dni|nie|nif|pasaporte|cédula|documento(?: de identidad)?',
    access: 'c[oó]digo|clave|contraseña|contra|pin|password',
  },
  notAnyMore: 'Ya no es así',
  templates: {
    name: 'Se llama {value}',
    preferred_name: 'Quiere que le digan {value}',
    birthday: 'Cumple años el {value}',
    age: 'Tiene {value} años',
    home_city: 'Vive en {value}',
    hometown: 'Es de {value}',
    address: 'Dirección: {value}',
    employer: 'Trabaja en {value}',
    job_title: 'Trabaja de {value}',
    school: 'Estudia en {value}',
    degree: 'Estudia {value}',
    partner_name: 'Su pareja se llama {value}',
    child_name: 'Su hijo o hija se llama {value}',
    pet_name: 'Su mascota se llama {value}',
    car: 'Tiene un {value}',
    phone_model: 'Teléfono: {value}',
    diet: 'Dieta: {value}',
    allergy: 'Alergia: {value}',
    medical_condition: 'Tiene {value}',
    medication: 'Toma {value}',
    language: 'Habla {value}',
    hobby: 'Afición: {value}',
    sport: 'Juega al {value}',
    instrument: 'Toca {value}',
    salary: 'Gana {value}',
    rent: 'Paga {value} de alquiler',
    budget: 'Presupuesto: {value}',
    working_hours: 'Horario: {value}',
    relationship_status: 'Estado civil: {value}',
    travel_destination: 'Viaja a {value}',
    appointment: 'Cita: {value}',
    answer_length: 'Quiere respuestas {value}',
    answer_tone: 'Quiere el trato: {value}',
    answer_language: 'Quiere respuestas en {value}',
  },
  dated: {
    asOf: 'a fecha de {day}',
    planned: 'previsto',
    plannedFor: 'previsto para el {day}',
    until: 'hasta el {day}',
  },
  tried: {
    best: '«{theme}» funcionó mejor con {name}: {first}, frente a {others}.',
    counted: '«{theme}»: {all}.',
    mean: '{mean}[ {measure} de media] en {cases}',
    good: 'un buen resultado en {good} de {cases}',
    with: '{outcome} con {name}',
    words: { case: 'caso', cases: 'casos', others: 'otros', and: ' y ', times: 'veces más' },
  },
};
