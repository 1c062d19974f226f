/**
 * Completion scripts. Each calls `talosctl __complete <words> <word at the cursor>`, which prints one candidate per
 * line, or `:files` for a local path. So a script stays valid when commands are added. `__complete_described` also
 * prints a tab and a description after each candidate.
 *
 * A candidate may be the name of a file or of a resource, which somebody else has chosen: `$(...)` in it would run when the user
 * presses Enter. So each script quotes what the shell would not take as it is. zsh and fish do that themselves. The words
 * go to the program without the quotes of the shell, so that what was quoted before is completed, too.
 */
const bash = `# bash completion for talosctl: source <(talosctl completion bash)
_talosctl() {
    local line="\${COMP_LINE:0:COMP_POINT}" words=() current="" prefix="" quote="" quoted="" begun="" char candidate at
    local plain='^[A-Za-z0-9_./@%+=:,-]*$'
    for ((at = 0; at < \${#line}; at++)); do
        char="\${line:at:1}"
        if [[ -n "$quote" ]]; then
            if [[ "$char" == "$quote" ]]; then
                quote=""
            else
                if [[ "$quote$char" == '"\\' ]]; then ((at++)); char="\${line:at:1}"; fi
                current+="$char"
            fi
        elif [[ "$char" == [[:space:]] ]]; then
            if [[ -n "$begun" ]]; then words+=("$current"); fi
            current="" prefix="" quoted="" begun=""
        else
            begun=1
            if [[ "$char" == [\\'\\"] ]]; then
                quote="$char" quoted=1
            elif [[ "$char" == '\\' ]]; then
                ((at++))
                current+="\${line:at:1}"
            else
                current+="$char"
                # Bash replaces only what follows the last of these characters, such as = or :.
                if [[ "$COMP_WORDBREAKS" == *"$char"* ]]; then prefix="$current"; fi
            fi
        fi
    done
    words+=("$current")
    COMPREPLY=()
    # Between quotes other characters are special.
    if [[ -n "$quoted" ]]; then return; fi
    while IFS= read -r candidate; do
        if [[ "$candidate" == ":files" ]]; then
            while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "\${current#"$prefix"}")
            compopt -o filenames 2> /dev/null
            return
        fi
        candidate="\${candidate#"$prefix"}"
        # The name may come from a node: nothing in it may be code.
        if [[ ! "$candidate" =~ $plain ]]; then printf -v candidate %q "$candidate"; fi
        COMPREPLY+=("$candidate")
    done < <("\${words[0]}" __complete "\${words[@]:1}" 2> /dev/null)
}
complete -F _talosctl talosctl
`;

const zsh = (verb: string) => `#compdef talosctl
# zsh completion for talosctl: source <(talosctl completion zsh)
_talosctl() {
    local -a lines candidates
    local line value tab=$'\\t'
    lines=("\${(@f)$("\${words[1]}" ${verb} "\${(@Q)words[2,CURRENT]}" 2> /dev/null)}")
    if [[ "\${lines[1]}" == ":files" ]]; then
        _files
        return
    fi
    for line in "\${(@)lines:#}"; do
        value=\${line%%$tab*}
        # A colon ends the value, so one inside it is escaped.
        value=\${value//\\\\/\\\\\\\\}
        value=\${value//:/\\\\:}
        if [[ "$line" == *$tab* ]]; then
            value+=":\${line#*$tab}"
        fi
        candidates+=("$value")
    done
    _describe -t candidates candidate candidates
}
if [[ "\${funcstack[1]}" == "_talosctl" ]]; then
    _talosctl "$@"
else
    compdef _talosctl talosctl
fi
`;

const fish = (verb: string) => `# fish completion for talosctl: talosctl completion fish | source
function __talosctl_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l unquoted (string unescape -- "$current"); or set unquoted "$current"
    for candidate in ($words[1] ${verb} $words[2..-1] "$unquoted" 2> /dev/null)
        if test "$candidate" = ":files"
            __fish_complete_path "$current"
        else
            printf '%s\\n' "$candidate"
        end
    end
end
complete -c talosctl -f -a "(__talosctl_candidates)"
`;

const powershell = (
  verb: string,
) => `# PowerShell completion for talosctl: talosctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'talosctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
    })
    # Some versions drop an empty argument: pass a pair of quotes instead.
    if ($wordToComplete -eq '') { $words += '""' }
    & $commandAst.CommandElements[0].Extent.Text ${verb} @words 2>$null | ForEach-Object {
        if ($_ -eq ':files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } else {
            $value, $description = $_ -split "\`t", 2
            if (-not $description) { $description = $value }
            # The name may come from a node: nothing in it may be code.
            $text = $value
            if ($value -notmatch '\\A[A-Za-z0-9_./+=:,-]+\\z') {
                $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
            }
            [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
        }
    }
}
`;

const scripts: Readonly<Record<string, (verb: string) => string>> = {
  bash: () => bash,
  fish,
  powershell,
  zsh,
};

/** The supported shells. */
export const completedShells: readonly string[] = Object.keys(scripts);

/**
 * The completion script for a shell; `undefined` for an unsupported shell.
 *
 * @param described whether the shell shows descriptions; bash cannot
 */
export function completionScript(shell: string, described: boolean): string | undefined {
  if (!Object.hasOwn(scripts, shell)) return undefined;
  return scripts[shell]?.(described ? '__complete_described' : '__complete');
}
