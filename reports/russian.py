"""The Russian of the pages, by the English that templates say."""
# ruff: noqa: E501  sentences are not broken

from collections.abc import Mapping
from typing import Final

NOUNS: Final[Mapping[str, tuple[str, str, str]]] = {
    "answer": ("ответ", "ответа", "ответов"),
    "bot": ("бот", "бота", "ботов"),
    "deal": ("сдача", "сдачи", "сдач"),
    "match": ("матч", "матча", "матчей"),
    "more match": ("матча", "матчей", "матчей"),
    "orbit": ("круг", "круга", "кругов"),
    "player": ("игрок", "игрока", "игроков"),
    "stream": ("поток сдач", "потока сдач", "потоков сдач"),
    "table": ("стол", "стола", "столов"),
}
"""One, two to four, five and more."""

RUSSIAN: Final[Mapping[str, str]] = {
    # Every page
    "Skip to the content": "Перейти к содержанию",
    "Pages of the league": "Страницы лиги",
    "Standings": "Таблица",
    "Cross-table": "Кросс-таблица",
    "Matches": "Матчи",
    "The league": "О лиге",
    "Language": "Язык",
    "You are here": "Вы здесь",
    "Fewer points are better. Everything on this site can be computed again from the records of the league.": (
        "Чем меньше очков, тем лучше. Всё на этом сайте можно пересчитать по записям лиги."
    ),
    # Standings
    "{number} at a table": "за столом {number}",
    "to {target} points": "до {target} очков",
    "Finished": "Завершена",
    "In progress": "Идёт",
    "Not begun": "Не началась",
    "{done} of {all} matches played": "сыграно матчей: {done} из {all}",
    "({counted} count: those of complete orbits)": "(засчитано {counted}: матчи полных кругов)",
    "Who is better than whom": "Кто кого сильнее",
    "No orbit of the schedule is complete yet. The table begins when every bot has sat in every seat.": (
        "Ни один круг ещё не завершён. Таблица появится, когда каждый бот сыграет на каждом месте."
    ),
    "{name} wins the league.": "{name} выигрывает лигу.",
    "{name} leads.": "Впереди {name}.",
    "Mean placement {placement}; chance of being the best of the field: {chance}.": (
        "Средняя оценка места {placement}; вероятность быть лучшим из всех: {chance}."
    ),
    "The first place is shared by {names}.": "Первое место делят {names}.",
    "{better} is better than {worse} at 95 %.": "{better} сильнее, чем {worse}, с уверенностью 95 %.",
    "{better} is ahead of {worse}; too early to tell them apart.": (
        "{better} впереди, за ним {worse}; судить о разнице рано."
    ),
    "{better} and {worse} cannot be told apart yet: about {matches} of each would do.": (
        "{better} и {worse} пока неразличимы: хватило бы ещё примерно {matches} каждого."
    ),
    "{better} and {worse} cannot be told apart; nothing suggests that they differ.": (
        "{better} и {worse} неразличимы, и ничто не говорит о разнице между ними."
    ),
    "Tiers: bots between two red lines do not differ surely from the first of them.": (
        "Группы: боты между двумя красными линиями не отличаются достоверно от первого из них."
    ),
    "{streams} so far; differences are marked from {needed} on.": "Пока {streams}; различия отмечаются начиная с {needed}.",
    "Sort by": "Порядок:",
    "Standings by mean placement: 1 is always first, 0 always last. The bars are 95 % intervals.": (
        "Порядок по средней оценке места: 1 — всегда первый, 0 — всегда последний. Полоски — 95 %-ные интервалы."
    ),
    "Rank": "Ранг",
    "Bot": "Бот",
    "Placement": "Оценка места",
    "Interval": "Интервал",
    "Points": "Очки",
    "a deal": "за сдачу",
    "Points a deal": "Очки за сдачу",
    "Wins": "Победы",
    "Moons": "Луны",
    "Chips": "Фишки",
    "Faults": "Ошибки",
    "Best of all": "Лучший",
    "chance": "вероятность",
    "Strength": "Сила",
    "Thinking": "Обдумывание",
    "Thinking, p50 / p99": "Время, p50 / p99",
    "of {all}": "из {all}",
    "rank with 95 % confidence": "ранг с уверенностью 95 %",
    "matches forfeited": "зачтено как поражения",
    "Bot against bot": "Бот против бота",
    "How to verify all this": "Как всё это проверить",
    "How to read this": "Как это читать",
    (
        "Placement: the first of a table gets 1, the last 0, the others evenly between; ties share. The interval takes "
        "into account that several tables play the same deals. Points are penalty points: fewer are better. Strength "
        "is a Plackett–Luce rating, 1500 on average. Small figures under a rank are the ranks that are possible at 95 %."
    ): (
        "Оценка места: первый за столом получает 1, последний 0, остальные поровну между ними, при равенстве — пополам. "
        "Интервал учитывает, что за несколькими столами играют одни и те же сдачи. Очки штрафные: чем меньше, тем лучше. "
        "Сила — рейтинг Плакетта — Люса, в среднем 1500. Мелкие цифры под рангом — ранги, возможные с уверенностью 95 %."
    ),
    # Cross-table
    (
        "Mean difference of placement at shared tables, the bot of the row less the bot of the column; "
        "small, the number of matches. A cell leads to the matches behind it."
    ): (
        "Средняя разность оценок места за общими столами: бот строки минус бот столбца; "
        "мелко — число матчей. Из ячейки можно перейти к самим матчам."
    ),
    "surely better (95 %, over all pairs together)": "точно сильнее (95 %, по всем парам вместе)",
    "probably better (95 %, this pair alone)": "вероятно, сильнее (95 %, только эта пара)",
    "probably worse": "вероятно, слабее",
    "surely worse": "точно слабее",
    "No pair has met on enough deal streams for its difference to be marked.": (
        "Ни одна пара не встретилась на достаточном числе потоков сдач, чтобы отмечать разницу."
    ),
    "Bots in the order of the standings": "Боты в порядке таблицы",
    # Lists of matches and leagues
    "Parts of the list": "Части списка",
    "In the order of the schedule; bots by place, with their points": (
        "В порядке расписания; боты по местам, с их очками"
    ),
    "Match": "Матч",
    "Result": "Итог",
    "Deals": "Сдачи",
    "Same deals": "Те же сдачи",
    "{deals} so far": "пока {deals}",
    "to come": "впереди",
    "Leagues": "Лиги",
    "There is no league yet.": "Лиг пока нет.",
    # The same deals
    "Same deals {number}": "Те же сдачи {number}",
    "The same deals, side by side": "Одни и те же сдачи рядом",
    "{done} of {all} tables that play these deals have finished.": (
        "Закончили {done} из {all} столов, за которыми играют эти сдачи."
    ),
    "In each seat lie the same cards at every table: a column compares how they were played.": (
        "На одном и том же месте за каждым столом лежат одни и те же карты: столбец сравнивает, как их разыграли."
    ),
    "stream": "поток",
    "Deal {number}": "Сдача {number}",
    "Deal {number}: points by seat at every table": "Сдача {number}: очки по местам за каждым столом",
    "Seat {number}": "Место {number}",
    "Moon": "Луна",
    "Mean": "Среднее",
    # A match
    "Match {number}": "Матч {number}",
    "ended when a total reached {target}": "закончен, когда сумма достигла {target}",
    "ended after the last deal that was allowed": "закончен после последней разрешённой сдачи",
    "{time} of play": "игра длилась {time}",
    "Place": "Место",
    "Seat": "Стул",
    "Same cards elsewhere": "С теми же картами",
    "here": "здесь",
    "mean of the other tables": "среднее других столов",
    "mean an answer": "в среднем на ответ",
    "forfeited": "поражение за нарушения",
    "The race: totals after each deal; the dashed line is the end of the match at {target}": (
        "Гонка: суммы после каждой сдачи; пунктир — конец матча, {target}"
    ),
    "Score sheet": "Запись игры",
    "Points of each deal and, in bold, the running total.": "Очки каждой сдачи и, жирным, нарастающая сумма.",
    "Small: what the other tables took on average with the same cards.": (
        "Мелко — сколько в среднем взяли другие столы с теми же картами."
    ),
    "Deal": "Сдача",
    "Notes": "Заметки",
    "Total": "Всего",
    "Replay this deal": "Посмотреть эту сдачу",
    "shot the moon": "забрал всё: луна",
    "stopped the deal by a revoke": "прервал сдачу фальшренонсом",
    "{name} shot the moon": "{name} забирает всё: луна",
    "stopped: revoke of {name}": "прервана: фальшренонс, {name}",
    "The cards are shown when all tables that play these deals have finished.": (
        "Карты показываются, когда закончат все столы, играющие эти сдачи."
    ),
    "How did others play these cards?": "Как эти карты сыграли другие?",
    "played the same deals:": "с теми же сдачами:",
    "Compare them deal by deal": "Сравнить сдачу за сдачей",
    "Everything that went wrong in this match": "Всё, что пошло не так в этом матче",
    "None.": "Нет.",
    # Faults
    "Where": "Где",
    "What": "Что",
    "Why": "Почему",
    "What followed": "Последствие",
    "Measured": "Измерено",
    "limit": "предел",
    "match {number}": "матч {number}",
    "deal {number}": "сдача {number}",
    "trick {number}": "взятка {number}",
    "before the first lead": "до первого хода",
    "illegal answer": "недопустимый ответ",
    "malformed answer": "неразборчивый ответ",
    "time-out": "время вышло",
    "unreachable": "нет связи",
    "another try": "ещё одна попытка",
    "the arena played the lowest legal card": "арена сыграла младшую допустимую карту",
    "the deal was stopped": "сдача прервана",
    "a stand-in took the seat to the end of the match": "до конца матча играла замена",
    "pass": "передача",
    "card": "карта",
    "discard": "снос",
    "answer": "ответ",
    "told when all tables with these cards have finished": "станет известно, когда закончат все столы с этими картами",
    # A bot
    "Rank {rank} of {bots}": "Ранг {rank} из {bots}",
    "tier {tier}": "группа {tier}",
    "No match that counts yet": "Засчитанных матчей пока нет",
    "Mean placement": "Средняя оценка места",
    "{number} suffered": "от других: {number}",
    "{number} forfeited": "поражений за нарушения: {number}",
    "By seat": "По местам за столом",
    "Results in each seat; seat 1 leads or plays first in the first deal": (
        "Результаты на каждом месте; первое — слева от сдающего в первой сдаче"
    ),
    "Points per deal": "Очки за сдачу",
    "How many deals ended with so many points; {mean} on average": "Сколько сдач кончилось с таким числом очков; в среднем {mean}",
    "Thinking time": "Время обдумывания",
    "{answers} by how long they took; every column twice as long as the one before": (
        "{answers} по длительности; каждый столбец вдвое дольше предыдущего"
    ),
    "Others with these cards": "Другие с теми же картами",
    "Deals to look at": "Сдачи, на которые стоит взглянуть",
    "Best against the same cards": "Лучшие при тех же картах",
    "Worst against the same cards": "Худшие при тех же картах",
    "Moons shot": "Взятые луны",
    "Opponents": "Соперники",
    "Placement less the opponent's at shared tables, with its 95 % interval": (
        "Оценка места минус оценка соперника за общими столами и её 95 %-ный интервал"
    ),
    "Opponent": "Соперник",
    "Difference": "Разность",
    "Which": "Какие",
    "Everything that went wrong, in the order of the schedule": "Всё, что пошло не так, в порядке расписания",
    "Every finished match of this bot": "Все законченные матчи этого бота",
    "Others, by place": "Остальные, по местам",
    # About the league
    "About the league": "О лиге",
    "at most {deals} a match": "не более чем {deals} в матче",
    "The rules in short": "Правила коротко",
    "Options": "Варианты правил",
    "not the default": "не по умолчанию",
    "Schedule and balance": "Расписание и его равновесие",
    "In an orbit every bot sits once in every seat.": "За круг каждый бот по разу сидит на каждом месте.",
    "Tables of one stream play the same deals, so that luck with the cards is compared away.": (
        "Столы одного потока играют одни и те же сдачи, так что везение с картами уравнивается."
    ),
    "Every match has deals of its own.": "У каждого матча свои сдачи.",
    "Matches of a bot": "Матчей у бота",
    "Matches in a seat": "Матчей на одном месте",
    "Meetings of two bots": "Встреч двух ботов",
    "As left neighbour": "Соседом слева",
    "House bots, which fill up tables and are not ranked:": "Боты арены, дополняющие столы вне зачёта:",
    "away": "нет на месте",
    "The league waits for these bots and plays their matches later:": "Лига ждёт этих ботов и сыграет их матчи позже:",
    "How often each bot went wrong": "Сколько раз ошибся каждый бот",
    "Forfeits": "Поражения за нарушения",
    (
        "Every deal follows from a secret seed by a published recipe, HEARTS-DEAL-1. The commitment was published when "
        "the league was created: it is a digest of the seed, so the seed cannot be changed afterwards. The seed is "
        "published when the league ends; then anybody can recompute the commitment and every deal, replay every "
        "record, and compute the standings again."
    ): (
        "Каждая сдача вычисляется из тайного зерна по опубликованному рецепту HEARTS-DEAL-1. Обязательство опубликовано "
        "при создании лиги: это свёртка зерна, и подменить зерно потом нельзя. Зерно публикуется по окончании лиги; "
        "тогда каждый может пересчитать обязательство и все сдачи, переиграть все записи и вычислить таблицу заново."
    ),
    "Commitment": "Обязательство",
    "Seed": "Зерно",
    "secret until the league ends": "тайна до конца лиги",
    "Beacon": "Маяк",
    "Hash of the schedule": "Хеш расписания",
    "Hash of the rules": "Хеш правил",
    "Pages count matches, deals, tricks and seats from 1; records and addresses count from 0.": (
        "На страницах матчи, сдачи, взятки и места считаются с 1, в записях и адресах — с 0."
    ),
    "Settings": "Настройки",
    "Created": "Создана",
    # The replayer
    "Replay": "Просмотр сдачи",
    "The replayer needs JavaScript; everything else on this site does without.": (
        "Для просмотра сдач нужен JavaScript; всё остальное на сайте обходится без него."
    ),
    "Card table": "Карточный стол",
    "Steps": "Шаги",
    "Start": "В начало",
    "Trick back": "Взятка назад",
    "Step back": "Шаг назад",
    "Play by itself": "Проигрывать самому",
    "Step on": "Шаг вперёд",
    "Trick on": "Взятка вперёд",
    "End": "В конец",
    "Step": "Шаг",
    "View": "Вид",
    "Same cards at": "Те же карты:",
    "Tricks": "Взятки",
    "Cards in the order in which they were played; the one that won is marked. Click a trick to go there.": (
        "Карты в том порядке, в каком сыграны; взявшая отмечена. Нажмите на взятку, чтобы перейти к ней."
    ),
    "Trick": "Взятка",
    "Cards": "Карты",
    "Winner": "Взял",
    "Keys": "Клавиши",
    (
        "← → a step, ↑ ↓ a trick, Home and End, P plays by itself, V changes the view. "
        "The address always names the moment that is shown."
    ): (
        "← → шаг, ↑ ↓ взятка, Home и End, P — проигрывать самому, V — сменить вид. "
        "Адрес всегда указывает на показанный момент."
    ),
    "Match {match}, deal {deal}": "Матч {match}, сдача {deal}",
    "The cards as they were dealt. Dealer: {name}.": "Карты сданы. Сдаёт {name}.",
    "Everybody has chosen the cards to pass.": "Все выбрали карты для передачи.",
    "The passed cards have arrived.": "Переданные карты получены.",
    "Trick {trick}: {name} plays {card}.": "Взятка {trick}: {name} кладёт {card}.",
    "Trick {trick}: {name} leads {card}.": "Взятка {trick}: {name} ходит {card}.",
    "{name} wins the trick: {points}.": "Взятку берёт {name}: {points}.",
    "All cards of the suit led cancel each other; the trick waits.": (
        "Все карты масти хода взаимно отменены; взятка ждёт."
    ),
    "{name} draws {cards} from the stock.": "{name} берёт из запаса карт: {cards}.",
    "{name} takes the widow.": "{name} берёт прикуп.",
    "{name} lays away {cards}.": "{name} сносит {cards}.",
    "{name} keeps the last hand and takes the stock.": "{name} оставляет себе последние карты и берёт запас.",
    "The deal is over.": "Сдача закончена.",
    "The deal was stopped: revoke of {name}.": "Сдача прервана: фальшренонс, {name}.",
    "{name} shot the moon.": "{name} забрал всё: луна.",
    "open": "открытые карты",
    "only {name}": "только {name}",
    "Deal {deal}": "Сдача {deal}",
    "match {match}": "матч {match}",
    "Stock": "Запас",
    "Widow": "Прикуп",
    "Kitty": "Остаток",
    "Waiting": "Ждут",
    "Laid away": "Снос",
    "hearts not open yet": "с червей ходить нельзя",
    "hearts are open": "черви открыты",
    "dealer": "сдающий",
    "to play": "его ход",
    "{cards} in hand": "карт на руках: {cards}",
    "{tricks} taken": "взяток: {tricks}",
    "{points} p.": "{points} оч.",
    "waits": "ждёт",
    "No deal of this address is published. Choose a match that has finished at all tables of its deals.": (
        "По этому адресу нет опубликованной сдачи. Выберите матч, сдачи которого доиграны за всеми столами."
    ),
    "The deals could not be loaded: {file} is missing.": "Не удалось загрузить сдачи: нет файла {file}.",
    "clubs": "трефы",
    "diamonds": "бубны",
    "spades": "пики",
    "hearts": "черви",
}
