// A plugin of clang-tidy: its checks see the repository's code alone, not the headers of the
// system, whose findings nobody is told of. Three quarters of clang-tidy's time went into those.
// Nor do they see what is precompiled, which is checked with other sources.
//
// It is a check that finds nothing. Of all checks' matchers those of the translation unit come
// first, before its declarations are looked at; here the declarations to look at are chosen.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/Basic/SourceManager.h>

#include <vector>

namespace {

namespace matchers = clang::ast_matchers;
namespace tidy = clang::tidy;

class OwnCodeOnly : public tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(matchers::MatchFinder* finder) override {
    finder->addMatcher(matchers::translationUnitDecl().bind("unit"), this);
  }

  void check(const matchers::MatchFinder::MatchResult& found) override {
    const auto is_own = [&sources = *found.SourceManager](const clang::Decl& declaration) {
      const auto place = declaration.getLocation();
      return place.isValid() && !declaration.isFromASTFile() &&
             !sources.isInSystemHeader(sources.getExpansionLoc(place));
    };
    std::vector<clang::Decl*> own;
    for (auto* declaration : found.Nodes.getNodeAs<clang::TranslationUnitDecl>("unit")->decls()) {
      if (is_own(*declaration)) own.push_back(declaration);
    }
    found.Context->setTraversalScope(own);
  }
};

class OwnCodeOnlyModule : public tidy::ClangTidyModule {
 public:
  void addCheckFactories(tidy::ClangTidyCheckFactories& checks) override {
    checks.registerCheck<OwnCodeOnly>("verbena-own-code-only");
  }
};

const tidy::ClangTidyModuleRegistry::Add<OwnCodeOnlyModule> kRegistered(
    "verbena", "Keeps checks to the repository's own code.");

}  // namespace
