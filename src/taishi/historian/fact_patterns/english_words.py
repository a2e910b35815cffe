"""English word lists for the fact patterns."""

from __future__ import annotations

PROFESSIONS = (
    "accountant actor actress administrator agent agronomist analyst animator anthropologist"
    " archaeologist"
    " architect artist assistant astronomer author baker banker barber barista bartender"
    " biologist bookkeeper"
    " bricklayer broker builder butcher carer carpenter cashier chef chemist chiropractor"
    " choreographer cleaner"
    " clerk coach coder comedian composer conductor consultant contractor cook copywriter"
    " counsellor counselor"
    " dancer data-scientist dentist designer detective developer dietitian director diver doctor"
    " driver"
    " economist editor electrician engineer entrepreneur executive farmer filmmaker firefighter"
    " fisherman"
    " florist freelancer gardener geologist goldsmith grad guard guide hairdresser historian"
    " housewife"
    " illustrator instructor interpreter investor janitor jeweller journalist judge landscaper"
    " lawyer lecturer"
    " librarian lifeguard linguist locksmith machinist manager mathematician mechanic midwife"
    " miner model"
    " musician nanny neurologist novelist nurse nutritionist officer optician painter paralegal"
    " paramedic"
    " pastor pharmacist philosopher photographer physician physicist physiotherapist pianist"
    " pilot plumber poet"
    " policeman policewoman politician postman priest principal producer professor programmer"
    " psychiatrist"
    " psychologist publisher radiologist realtor receptionist recruiter researcher sailor"
    " salesman saleswoman"
    " salesperson scientist sculptor secretary seamstress singer sociologist soldier solicitor"
    " statistician"
    " streamer student surgeon surveyor tailor teacher technician tester therapist trader"
    " trainer translator"
    " tutor tutor undergraduate veterinarian vet violinist waiter waitress watchmaker welder"
    " worker writer"
    " youtuber zoologist barrister ceo cto cfo founder co-founder lead strategist marketer"
    " specialist"
    " apprentice intern postdoc stay-at-home-mum stay-at-home-dad blogger storyteller"
)
DEMONYMS = (
    "American Argentine Argentinian Australian Austrian Bangladeshi Belgian Bolivian Brazilian"
    " British Bulgarian"
    " Cambodian Canadian Chilean Chinese Colombian Croatian Cuban Czech Danish Dutch Egyptian"
    " English Estonian"
    " Ethiopian Filipino Finnish French German Ghanaian Greek Hungarian Icelandic Indian"
    " Indonesian Iranian Iraqi"
    " Irish Israeli Italian Jamaican Japanese Kenyan Korean Latvian Lebanese Lithuanian"
    " Malaysian Mexican"
    " Moroccan Nepali Nigerian Norwegian Pakistani Peruvian Polish Portuguese Romanian Russian"
    " Scottish Serbian"
    " Singaporean Slovak Slovenian Spanish Swedish Swiss Syrian Taiwanese Thai Turkish Ukrainian"
    " Venezuelan"
    " Vietnamese Welsh"
)
PARTNERS = "wife husband partner girlfriend boyfriend fiance fiancee fiancé fiancée spouse"
RELATIVES = (
    "mother mom mum father dad brother sister son daughter uncle aunt cousin grandmother grandma"
    " granny grandfather"
    " grandpa grandad grandson granddaughter grandchildren nephew niece parents grandparents"
    " kids children baby stepson stepdaughter in-laws"
    " mother-in-law father-in-law brother-in-law sister-in-law godfather godmother twin"
)
ACQUAINTANCES = (
    "friend boss manager colleague coworker roommate flatmate neighbour neighbor teacher"
    " landlord supervisor mentor"
    " therapist doctor dentist assistant"
)
PETS = (
    "cat dog kitten puppy hamster rabbit bunny parrot horse pony fish goldfish turtle tortoise"
    " snake lizard gecko"
    " guinea-pig ferret bird budgie canary chicken goat pet retriever corgi poodle labrador"
    " beagle husky"
)
BELONGINGS = (
    "car bike bicycle motorbike motorcycle scooter boat yacht house flat apartment cottage"
    " garden piano guitar"
    " violin drum drums keyboard camera laptop computer tablet ipad iphone macbook phone kindle"
    " telescope printer"
    " 3d-printer playstation xbox switch van caravan truck tesla bmw toyota honda ford volvo"
    " audi farm allotment"
)
ILLNESSES = (
    "asthma diabetes adhd autism epilepsy migraines migraine arthritis celiac coeliac depression"
    " anxiety insomnia"
    " hypertension ibs eczema psoriasis anemia anaemia dyslexia tinnitus ocd ptsd cancer"
    " hay-fever astigmatism"
    " scoliosis hypothyroidism endometriosis"
)
LANGUAGES = (
    "English French German Spanish Italian Portuguese Dutch Norwegian Swedish Danish Finnish"
    " Polish Russian"
    " Ukrainian Czech Hungarian Romanian Greek Turkish Arabic Hebrew Persian Farsi Hindi Urdu"
    " Bengali Tamil"
    " Telugu Chinese Mandarin Cantonese Japanese Korean Vietnamese Thai Indonesian Malay Tagalog"
    " Irish Welsh"
    " Gaelic Catalan Basque Swahili Latin Esperanto Icelandic Croatian Serbian Bulgarian"
)
CODE_LANGUAGES = (
    r"Python|Java(?:Script)?|TypeScript|Rust|Go|Golang|C\+\+|C#|C|Ruby|PHP|Swift|Kotlin|Scala"
    r"|Haskell|SQL|R|MATLAB"
    r"|Perl|Elixir|Clojure|Lua|Dart|React|Vue|Django|Excel|Photoshop|Blender|Figma|Docker"
    r"|Kubernetes|Bash|HTML"
)
INSTRUMENTS = (
    "guitar piano violin viola cello flute drums bass saxophone trumpet clarinet ukulele harp"
    " accordion organ"
    " keyboard banjo harmonica trombone oboe recorder mandolin erhu"
)


def alternation(words: str) -> str:
    """A pattern for one of the words; a hyphen in the list may be a space in the text."""
    return "|".join(word.replace("-", "[ -]") for word in words.split())
