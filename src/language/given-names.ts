import { wordSet } from './words.ts';

/** A single word such as "Maria" is recognised as a person by this list. */
export const GIVEN_NAMES: ReadonlySet<string> = wordSet(`
  aarav aaron abena abigail achieng ada adaeze adam adan aditya adrian agnes agnieszka ahmed aidan aiden ailsa ainhoa
  aisha aisyah akira akosua alan alba albert alejandro alessia alex alexander alfie alfred ali alice ama amaka amanda
  amara amber amelia amina amit amy ana ana-maria ananya anders andre andrei andres andrew andré andrés ane angela
  ania anita anja anjali anke anna anne annie anouk anthony antje antoine anton antonella antonio aoibhe aoife archie
  aria arjun arthur ashley astrid audrey aurelie aurélie ava ayşe barbara barry bartosz bea beatrice beatriz becky ben
  benjamin beppe bernard beth bethan beto betty bev beverley bex bilal bill bilqis birgit bisi björn bob bogdan bola
  bongani bram brandon brenda brian brianna brigitte britta brittany bruna bruno bryn caio caleb callum calvin camila
  camille carlos carmen carol caroline carolyn carsten catarina cathal celine cerys charles charlie charlotte chema
  chen chiara chidi chioma chloe chloé chris christine chuy ciara cillian cindy claire clara claudio cody connor conor
  cora cordelia corinne cormac courtney craig cristina cynthia céline daan daisy damian dan dana dani daniel
  dara darlene darnell darragh darren dave davi david davide dawn debbie deborah declan deepa deepak deirdre denise
  dennis derek detlef dev diane didier diego dieter divya dmitri don donna dora doreen doris dorothy dragan duarte
  dwayne dylan eamon ebele ed edith edoardo edward efua eilidh elda eleanor elena elif elijah elisa elizabeth ella
  ellie elodie emeka emi emil emilio emily emma emre eoin eric erik ernest erwan esther ethan ethel eva evan evelyn
  evie ewan ezra fabian fabio fabrice faith farah farhan fatima federica federico felix femi femke fergus fernanda
  filippo finlay finn fiona fionn florian florin floris folake francesca francois frank françois fraser freddie
  freya fulvia funmi gabi gabriel gabriela gabriele gael gaia gareth gary gavin gaël gaëlle gemma gennaro george gerry
  gianluca gianni gigi gina ginevra giovanni giulia giulio giuseppe gladys glenda glenn gonçalo gord gordon gosia
  grace graciela graham grainne greg gregor gregory greta guadalupe gudrun guillaume gwen gérard hafsa hamish hana
  hannah hans hao harold harper harriet harry haruto hassan hazel haziq heather heidi heike heiko helen helena helga
  henry hiro hiroshi holger hope hugo hussein huw ian ibrahim ida idris ifeoma iker ilaria imani imogen imran ines
  ingmar ingrid inés inês ioana ionut irene irina iris isaac isabella ishaan itzel ivan ivy iván jack jackson
  jacob jade jake jakub jamal james jamie jana jane janet jannik jannis jasmine jason javier jaz jean jeff jeffrey
  jennifer jenny jens jermaine jeroen jerry jess jessica ji-woo jia jill jim jo joan joanna joao joaquim joaquín joe
  johannes john jolanta jolene jonah jonas jonathan jonte joost jordan jordi joris jose joseph josh joshua josiah
  jovana joy joyce joão juan juanita judith judy jule julian julie julien juliette jun jurgen jussara justin jörg
  jürgen kamau karen karim karin kasia katarzyna kate katherine kathleen katie katja kavita kavya kayla kayleigh
  keisha keith kelly kelsey ken kenji kevin khadija khalid kieran kim kimberly kiran kirsty kit klaus kofi kuba kunle
  kwabena kwame kwasi kyle kylie lakshmi lalo larissa larry lars lasse latoya laura laurent layla leanne leila leire
  lena leo leonardo leonie leonor lerato levi lewis li lia liam libby lillian lily lina lincoln linda lindiwe lindsey
  ling linh lisa liz logan lorena lorenzo loretta lorraine lotte lou louise loïc luc luca lucas lucia lucy lucía luis
  lukas luke lupe lupita lynne léo maaike maarten mabel mackenzie maelle maelys maeve magda magnus maik maisie malik
  malte mandy manon marc marco marcus marek margaret margaux maria mariana marie marieke marisol mark marleen marlene
  marta martha martina martín mary massimo mateo mathieu mathilde matt matteo matthew matthias mattia maureen
  maurizio max maël maëlle meena meera meg megan mehmet mei mel melanie melissa mia michael michele michelle miguel
  mihai mike mikkel milan millie milly min-jun minh miriam mohammed molly montserrat morag morgan moritz mrunal
  mélanie nadia nadine naledi nancy naomi natasha nate nathalie nathan naz neha neil nell ngozi nia niamh
  nicholas nick nicola nicole nicolás nigel nikhil niklas nina nino nisha njeri nneka noah nolan nomsa noor nora
  noreen nuala nuria oana obinna oceane océane odile oisin oksana ole olena olga olivia ollie omar orla ornella osaze
  oscar otieno otto owen pablo paco padraig pallavi pamela paola paolo pascal pat patricia patrick pau paul pauline
  paulo pawel pearl pedro pepe peppe percy pete peter petra phil pierre piet pieter pilar piotr pooja priya
  priyanka quique rachel rafael rafaela rahul raj ralf randy rania raul ravi ray raymond raúl rebecca reggie rekha
  renate rhys ricardo riccardo richard rick ricky rob robert roberta roberto rocio rodrigo rohan rohit roisin
  ron ronald ronan ronnie ronny rory rosa rosalind rosanna rosario rosie rowan roxanne roy ruby rubén rui ruth ryan
  rüdiger sabine sakura salvatore sam samantha samir samuel sander sandra sandrine sandro sandy sanjay sanne saoirse
  sara sarah scott sean sebastian sebastián segun serena sergio seán shane shanice shannon sharon shaun shauna sheila
  shirley shona shreya silas silke silvia simona simone sinead siobhan sioned sipho sjoerd sneha sofia soo-jin sophia
  stacey stanley stefan stefanie stefano steffi steph stephanie stephen steve steven stuart sunil sunita suresh susan
  sven svenja svetlana swati sylvie tadeusz tadhg takashi tamika tara taras tariq tash taylor ted tegan temitope teni
  terry tess thabo thandi thanh themba theo thiago thibault thierry thomas thorsten tiago tilly tim timothy tina
  tobias tola tom tomas tomasz tommaso tomás tony torben torsten toño tracey tracy travis trevor tunde tyler tyrone
  uche ursula uschi uwe valentina vera vernon veronica vicky vikram vincenzo vinicius violet viorel vivek vivian wale
  walter wanjiru wayne wei wendell wendy whitney wiebke will willem william winifred wojciech wolfgang wouter wyatt
  ximena xin xiu yann yannick yaroslav yash yasin yasmin yemi yolanda yuki yuko yusuf yvonne zac zainab zanele zara
  zinhle zoe zofia zoya álvaro élodie óscar`);
